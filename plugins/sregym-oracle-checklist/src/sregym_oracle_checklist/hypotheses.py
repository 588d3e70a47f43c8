"""Texts that rank several explanations: the one preferred, and the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Earlier words are what the incident looked like; a first explanation takes at least so many characters.
SHORTEST = 40
# More explanations, none of which is preferred, are guesses.
MOST_RANKED = 3
_NOUN = (
    r"hypothes[ie]s|candidate|possibility|guess|suspect|theory|option|explanation|choice|bet|idea|scenario"
    r"|suspicion|reason|place|rank|prio(?:rity)?"
)
_SECOND = re.compile(
    r"(?:^|(?<=[\s(\[]))(?:"
    rf"\(?(?:second|2nd|other) (?:{_NOUN})"
    r"|second,? (?:and )?(?:less|but)|second(?:ly)?[:,]|alternativ(?:ely|e\b)|less (?:likely|probabl[ey])|runner[- ]up"
    rf"|another (?:{_NOUN})|plan b\b"
    r"|(?:only )?if (?:that|this|it|the first)(?: one)? (?:is|turns out|proves|should be|does|fails|doesn't)|failing that|ranked second|in second place"
    r"|distant second|only then|otherwise[:,]|secondary:"
    r"|(?:could|might|may|would|can) (?:also|instead|equally|just as well) (?:be|have|come)"
    r"|(?:smaller|lesser|lower|remote|outside|slim|small|residual|remaining) (?:chance|probability|possibility|likelihood)"
    rf"|(?:secondary|weaker|minor|lesser|outsider|backup|fallback) (?:{_NOUN})"
    r"|rather unlikely|can(?:'t|not) (?:be )?(?:excluded|rule out)|next (?:in line|best|candidate|suspect)"
    r"|[1-4]\d ?(?:%|percent)(?= ?(?:chance|likel|prob)))",
    re.IGNORECASE,
)
# `H1`, `#1`, `T1`, `(i)`, `A)`, `Option one`, `1.`: what explanations are numbered with.
_LABEL = re.compile(
    rf"(?:^|(?<=[\s(\[*]))(?P<noun>(?:{_NOUN}|cause) ?|[HTCE#]|no\.? ?)?"
    r"(?P<count>[1-6]|one|two|three|four|five|six|first|second|third|fourth|fifth|sixth|i{1,3}|iv|vi?|[a-f])(?P<close>[).:\],]|(?=:)| ?\((?=[\w ]{0,12}\d\d ?%)|(?= ?[(:,=-])|(?= [A-Z`]))",
    re.IGNORECASE,
)
_COUNTS = (
    "1 one first i a", "2 two second ii b", "3 three third iii c",
    "4 four fourth iv d", "5 five fifth v e", "6 six sixth vi f",
)  # fmt: skip
_PLACES = {word: place for place, words in enumerate(_COUNTS) for word in words.split()}
_STYLES = tuple(" ".join(column) for column in zip(*map(str.split, _COUNTS), strict=True))
_ABOUT_EXPLANATIONS = re.compile(
    r"hypothes|candidate|likel|rank|order|possib|theor|scenario|explanation|suspect|bet\b|favou?r|option|guess|\d\d ?%",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:go (?:with|for)|going (?:with|for)|bet on|prefer|favou?r|settle (?:for|on)|convinced (?:of|by)|put my money on|side with|decide for|believe in|opt for"
    r"|conclude|act on|(?:start|begin) with|inclined to|lean(?:ing)? (?:to|towards?)|hence|so)\b[^.\n]{0,25}?(?P<count>\b(?:#|h|t)?[1-3]\b|\bfirst\b|\bsecond\b|\bformer\b|\blatter\b|\b[abc]\b)",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\bmy (?:money|bet|favou?rite)|\bconvinced|most (?:likely|probabl)|\bvery likely|\bfavou?rite\b|\bnear[- ]?certain",
    re.IGNORECASE,
)
_DEMOTED = re.compile(
    r"less (?:likely|probab)|unlikely|\bremote\b|far behind|distant|nil\b|against it", re.IGNORECASE
)
_PER_CENT = re.compile(r"(\d{1,3}) ?(?:%|per ?cent)", re.IGNORECASE)
# The chance of an explanation: `50 %:`, `50 % that`, `(50 %)` at the end of a line.
_CHANCE = re.compile(
    r"(?:(?:^|(?<=[.;,:\n]))[\W_]*(\d{1,3}) ?(?:%|per ?cent)(?:[\s*)]*[:=-]|,? (?:that|it|chance|likel\w+|prob\w+|sure|confiden\w+)\b))|\(\s*(\d{1,3}) ?(?:%|per ?cent)[^()\n]{0,15}\)[\s.;]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSE, _JUST_BEFORE, _ONE_SENTENCE = 90, 120, 160


@dataclass(frozen=True)
class _Item:
    """One numbered explanation."""

    place: int
    start: int
    end: int


def ranked(text: str) -> tuple[str, str]:
    """The preferred explanation and the others; the whole text and nothing where there is but one."""
    items = _numbered(text)
    if len(items) > 1:
        chosen = _preferred(text, items)
        if chosen is None:  # a list of guesses
            return text, ""
        head = text[: items[0].start]
        others = " \n".join(text[item.start : item.end] for item in items if item is not chosen)
        return f"{head}\n{text[chosen.start : chosen.end]}".lstrip(), others
    second = _SECOND.search(text, SHORTEST)
    if second is None:
        return text, ""
    first, other = text[: second.start()], text[second.start() :]
    likelier = _first_per_cent(first), _first_per_cent(other)
    if None not in likelier and likelier[1] > likelier[0]:  # type: ignore[operator]
        return other, first
    preference = _PREFERENCE.search(text)
    if preference and preference["count"].lower() in ("2", "#2", "h2", "b", "second", "latter"):
        return other, first
    return first, other


def tied(text: str) -> bool:
    """Whether a text gives several explanations the same chance, and none a greater one."""
    chances = [int(one[1] or one[2]) for one in _CHANCE.finditer(text)]
    return bool(chances) and chances.count(max(chances)) > 1


def _numbered(text: str) -> list[_Item]:
    """Explanations that carry numbers of one style, in order; none where numbers count other things."""
    found: dict[str, list[re.Match[str]]] = {}
    for match in _LABEL.finditer(text):
        word = match["count"].lower()
        style = next((one for one in _STYLES if word in one.split()), "")
        if not match["noun"] and not match["close"]:
            continue
        found.setdefault(f"{style}{(match['noun'] or '').lower().strip()}", []).append(match)
    for marks in found.values():
        series: list[re.Match[str]] = []
        for mark in marks:
            if _PLACES.get(mark["count"].lower()) == len(series):
                series.append(mark)
        if len(series) > 1 and _explain(text, series):
            ends = [mark.start() for mark in series[1:]] + [len(text)]
            return [
                _Item(place, mark.start(), end)
                for place, (mark, end) in enumerate(zip(series, ends, strict=True))
            ]
    return []


def _explain(text: str, series: list[re.Match[str]]) -> bool:
    """Whether numbered things are explanations and not findings, steps or defects."""
    if series[0]["noun"] and not series[0]["noun"].lower().startswith("cause"):
        return True
    before = series[0].start()
    if _ABOUT_EXPLANATIONS.search(text, max(0, before - _JUST_BEFORE), before):
        return True
    ends = [mark.start() for mark in series[1:]] + [len(text)]
    told = [text[mark.end() : end] for mark, end in zip(series, ends, strict=True)]
    if sum(_first_per_cent(part[:_ONE_SENTENCE]) is not None for part in told) > 1:
        return True
    near = (text[mark.end() : mark.end() + _CLOSE] for mark in series)
    return any(_HERE.search(part) or _DEMOTED.search(part) for part in near)


def _preferred(text: str, items: list[_Item]) -> _Item | None:
    """Which explanation is held: by the author's word, by the chance given, else the first of a few."""
    for match in _PREFERENCE.finditer(text):
        word = (
            match["count"].lower().lstrip("#ht")
            if len(match["count"]) == 2
            else match["count"].lower()
        )
        place = {"former": 0, "latter": 1}.get(word, _PLACES.get(word))
        if place is not None and place < len(items):
            return items[place]
    told = [text[item.start : item.end] for item in items]
    chances = [_first_per_cent(part) for part in told]
    if sum(chance is not None for chance in chances) > 1:
        return max(zip(items, chances, strict=True), key=lambda one: (one[1] or 0, -one[0].place))[
            0
        ]
    for item, part in zip(items, told, strict=True):
        if _HERE.search(part[:_CLOSE]) and not _DEMOTED.search(part[:_CLOSE]):
            return item
    standing = [
        item for item, part in zip(items, told, strict=True) if not _DEMOTED.search(part[:_CLOSE])
    ]
    if len(items) > MOST_RANKED and len(standing) == len(items):
        return None
    return (standing or items)[0]


def _first_per_cent(text: str) -> int | None:
    match = _PER_CENT.search(text)
    return int(match[1]) if match else None
