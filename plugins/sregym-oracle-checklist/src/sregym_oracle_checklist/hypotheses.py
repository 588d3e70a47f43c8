"""Texts that rank several explanations: the one preferred, and the others."""

from __future__ import annotations

import re

# Earlier words are what the incident looked like; a first explanation takes at least so many characters.
SHORTEST = 40
_SECOND = re.compile(
    r"(?:^|(?<=[\s(\[]))(?:#\s?2\b|H2\b|hypothesis (?:2|b|two|ii)\b"
    r"|\(?(?:second|2nd|other) (?:hypothesis|candidate|possibility|guess|suspect|theory|option|explanation|choice|bet|idea|scenario)"
    r"|second,? (?:and )?(?:less|but)|second(?:ly)?[:,]|alternativ(?:ely|e\b)|less (?:likely|probabl[ey])|runner[- ]up"
    r"|another (?:possibility|hypothesis|candidate|explanation|option|theory)|plan b\b"
    r"|(?:only )?if (?:that|this|it|the first)(?: one)? (?:is|turns out|proves|should be|does|fails|doesn't)|failing that|ranked second|in second place"
    r"|distant second|only then|(?:option|candidate|theory|cause|suspicion|explanation|possibility|guess|suspect|reason) (?:2|b|two|no\.? ?2)\b"
    r"|(?:could|might|may|would|can) (?:also|instead|equally|just as well) (?:be|have|come)"
    r"|(?:smaller|lesser|lower|remote|outside|slim|small|residual|remaining) (?:chance|probability|possibility|likelihood)"
    r"|(?:secondary|weaker|minor|lesser|outsider|backup|fallback) (?:hypothes\w+|suspect|candidate|suspicion|theory|explanation|possibility)"
    r"|rather unlikely|can(?:'t|not) (?:be )?(?:excluded|rule out)|(?:rank|place|prio(?:rity)?) ?(?:2|two)\b|next (?:in line|best|candidate|suspect)"
    r"|[1-4]\d ?(?:%|percent)(?= ?(?:chance|likel|prob)))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|\s)\(?(?:2[.)]|b\)|\(b\)|ii[.)])\s", re.IGNORECASE | re.MULTILINE)
_ABOUT_EXPLANATIONS = re.compile(
    r"hypothes|candidate|likel|rank|order of|possib|theor|scenario|explanation|suspect|bet\b|favou?r|options",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:go with|going with|bet on|prefer|favou?r|settle (?:for|on)|convinced (?:of|by)|put my money on|side with|decide for|believe in|opt for|conclude)\b"
    r"[^.]{0,25}?(#\s?\d|\bh\d|\b(?:first|second|former|latter|[12ab])\b)",
    re.IGNORECASE,
)


def ranked(text: str) -> tuple[str, str]:
    """The preferred explanation and the others; the whole text and nothing where there is but one."""
    second = _SECOND.search(text, SHORTEST)
    at = second.start() if second else None
    if at is None:
        number = _NUMBERED.search(text, SHORTEST)
        if number and _ABOUT_EXPLANATIONS.search(text, 0, number.start()):
            at = number.start()
    if at is None:
        return text, ""
    preference = _PREFERENCE.search(text)
    if preference and re.search(r"2|b|second|latter", preference[1].lower()):
        return text[at:], text[:at]
    return text[:at], text[at:]
