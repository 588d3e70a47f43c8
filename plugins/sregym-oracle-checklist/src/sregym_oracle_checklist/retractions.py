"""What a text takes back, strikes out, hides, or says in another language than the rest of it."""

from __future__ import annotations

import re

_STRUCK = re.compile(r"~~.{1,4000}?~~|<(del|s|strike)>.{1,4000}?</\1>|<!--.*?(?:-->|\Z)", re.DOTALL)
_FALSE = r"(?:false|untrue|nonsense|refuted|disproved|debunked|made up|invented|retracted|a lie|a myth|not (?:true|so|the case))"
_SAYING = (
    r"(?:claim|idea|story|rumou?r|theory|assertion|statement|notion|belief|allegation|hypothesis)"
)
RETRACTED = re.compile(
    rf"\b(?:that|this|it|all(?: of (?:it|this|that))?|which|everything|the {_SAYING})\b (?:(?:has|have) )?(?:turned out(?: to be)?|proved(?: to be)?|been shown to be) (?:wrong|incorrect|{_FALSE})\b"
    rf"|\b(?:that|this|it|all(?: of (?:it|this|that))?|which|everything|the {_SAYING})\b (?:is|was) (?:all |simply |just |plainly |utterly )?{_FALSE}(?![\w-])"
    rf"|\b{_SAYING} that\b[\s\S]{{0,1500}}?\b(?:is|was|has been) (?:wrong|incorrect|{_FALSE})(?![\w-])"
    r"|(?:^|[.!?]\s+|\(|--? )(?:wrong|false|nope|nonsense|not so|not true|not|untrue)\s*[.!)]*\s*$"
    r"|\b(?:A|answer)\s*[:=]\s*(?:no|false|nope)\b|(?:^|[.!?]\s+)no,? (?:it|this|that) (?:is|was|does|did)(?:n't| not)\b"
    r"|\bI (?:have |'ve )?(?:made|invented) (?:that|this|it|all(?: of (?:it|this|that))?|everything)\b"
    r"|\b(?:do|did)(?: not|n't) believe (?:a word|any|it|that|this|them)\b|\bif only it were\b"
    r"|\ba (?:lie|myth|rumou?r|fairy tale|falsehood) that\b|(?:^|[.!?]\s+)(?:myth|lie|rumou?r|fiction|untrue|false)\s*:"
    r"|\b(?:(?:he|she|who(?:ever)? (?:says|said|claims|claimed) (?:so|that|this|it)) (?:is|was) (?:\w+ )?(?:mistaken|wrong|in error|lying)|they (?:are|were) (?:\w+ )?(?:mistaken|lying))\b"
    r"|\bnothing (?:of|in) (?:this|that|it|what)\b.{0,40}\b(?:holds|is (?:true|so|right|correct)|applies)\b"
    r"|\bnot_(?:the_)?(?:root_)?cause\b",
    re.IGNORECASE | re.MULTILINE,
)
# A table that says of each row whether it holds.
_JUDGED_TABLE = re.compile(
    r"^.*\|.*\b(?:verdict|true|holds|correct|conclusion|confirmed)\b.*\|?.*$", re.IGNORECASE | re.M
)
_ROW_REJECTED = re.compile(
    r"\|\s*(?:false|no|wrong|untrue|refuted|rejected|ruled out|not the cause)\s*\|?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
# That something is not so, as other languages say it, without accents.
FOREIGN_DENIAL = re.compile(
    r"\b(?:nicht wahr|stimmt (?:so )?nicht|ist falsch|falsch,? dass|kein wahres wort|unwahr"
    r"|il est faux|c'est faux|pas vrai|est faux|n'est pas la cause|no es (?:cierto|verdad)|es falso|es mentira"
    r"|non e vero|e falso|nao e verdade|niet waar|is onwaar|nieprawda|inte sant|dogru degil)\b"
    r"|неправда|неверно|не правда|не соответствует|不是真的|并非|不属实|不对|是假的|本当ではな|事実ではな|嘘|사실이 아니",
    re.IGNORECASE,
)
# Small words of other languages that English and the API have not.
_SMALL = re.compile(
    r"\b(?:der|das|ist|nicht|und|dass|wird|wurde|eine|einen|dem|auf|fur|es ist|il est|est|que|les|pas|une|dans|sur|avec|cette|faux"
    r"|el|los|las|esta|este|cierto|porque|por|una|che|della|sono|questa|nao|uma|isso|het|een|niet|dat|voor|jest|nie|att|inte|bir|degil|ve)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|of|is|has|from|to|and|with|was|are|that|it)\b", re.IGNORECASE)
# So many of both in one sentence make a sentence of two languages.
_FOREIGN_WORDS, _ENGLISH_WORDS = 2, 3


def visible_text(text: str) -> str:
    """A text without what its author struck out, or hid from readers."""
    return _STRUCK.sub(" ", text)


def retracted(text: str) -> bool:
    """Whether anything is taken back, or told as what others believe: how much of it is undecidable."""
    if RETRACTED.search(text) or FOREIGN_DENIAL.search(text):
        return True
    return _JUDGED_TABLE.search(text) is not None and _ROW_REJECTED.search(text) is not None


def mixed_languages(text: str) -> bool:
    """Whether a part of a text is in another language or script: what it does to the rest is not read."""
    if any(letter.isalpha() and ord(letter) > _LAST_LATIN for letter in text):
        return True
    return any(
        len(_SMALL.findall(sentence)) >= _FOREIGN_WORDS
        and len(_ENGLISH.findall(sentence)) >= _ENGLISH_WORDS
        for sentence in re.split(r"(?<=[.!?])\s+|\n", text)
    )


# The last letter of the Latin blocks.
_LAST_LATIN = 0x024F
