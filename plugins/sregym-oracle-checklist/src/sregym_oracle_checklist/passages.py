"""A diagnosis as clauses, each with what it does: claims, denies, supposes, proposes or tells."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sregym_oracle_checklist.layout import MAX_SENTENCE, Section, lines_of
from sregym_oracle_checklist.stance import (
    ARROW,
    DENIED_ALL,
    DENIED_NEXT,
    DENIES,
    EXPLICIT,
    FORMER,
    HEALTHY,
    HEDGE,
    LINK,
    NOT_QUITE,
    OPEN_QUESTION,
    OPEN_SENTENCE,
    PAST,
    REPAIR,
    TO_THE_JUDGE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SENTENCE_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bapprox\.)(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|(?<=;)\s+"
)
# What joins parts of one sentence, each of which is read alone.
_PART_END = re.compile(r"[;\uff1b]\s*$")
# Sentences of a section on the cause that say it; what follows explains.
OPENING = 2
# What a look at something that is all right ends with: `dig cart -> ok`.
_FINE = re.compile(
    r"\W*(?:is |was )?(?:fine|ok|okay|good|healthy|ready|open|works?|up|connects?|connected|resolve[sd]?|succeeds?|normal|pass(?:es|ed)?|present)\W*",
    re.IGNORECASE,
)
# `was running and is stopped` tells a change, and not that all is well.
_WAS = re.compile(r"\b(?:was|were)\b[^.;]{0,60}$", re.IGNORECASE)
# `changed from "one that is valid" to "one that expired"` does as well.
_FROM = re.compile(r"\bfrom\b[^.;]{0,60}$", re.IGNORECASE)
_TO = re.compile(r"[^.;]{0,60}?\b(?:to|into)\b", re.IGNORECASE)
_AND_IS = re.compile(r"[^.;]{0,60}?\b(?:and|but) (?:is|are)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that does one thing.

    Attributes:
        text: As it stands.
        sentence: Number of its sentence.
        section: What the part of the report is about in which it stands.
        role: `claim`, or `cause` or `effect` of what stands beside it.
        explicit: Whether its sentence says that it gives the root cause.
        hedged: Whether it is offered as a possibility.
        denied: Whether it is said not to be so.
        former: Whether it was believed before.
        asked: Whether it is asked or supposed.
        repair: Whether it says what is to be done.
    """

    text: str
    sentence: int
    section: Section
    role: str
    explicit: bool
    hedged: bool
    denied: bool
    former: bool
    asked: bool
    repair: bool


@dataclass(frozen=True)
class Reading:
    """All clauses of a text, and its sentences by number, without text addressed to the judge."""

    clauses: tuple[Clause, ...]
    sentences: Mapping[int, str]

    @property
    def text(self) -> str:
        """All sentences."""
        return "\n".join(self.sentences.values())

    @property
    def claims(self) -> list[Clause]:
        """What the author holds to be so."""
        return [c for c in self.clauses if not (c.denied or c.asked or c.former)]


def _sentences(text: str) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(text):
        while len(sentence) > MAX_SENTENCE:
            cut = sentence.rfind(" ", 1, MAX_SENTENCE)
            cut = MAX_SENTENCE if cut < 0 else cut
            yield sentence[:cut]
            sentence = sentence[cut:]
        if re.search(r"\w", sentence):
            yield sentence


def read(text: str, names: frozenset[str], phrases: tuple[str, ...] = ()) -> Reading:
    """Take a text apart; never raises, whatever it is.

    Args:
        text: As submitted.
        names: Component names in lower case, which are never taken for labels.
        phrases: What the author of the truth says; a negation in it clears no component: `never ends`.
    """
    clauses: list[Clause] = []
    kept: dict[int, str] = {}
    number = since = 0
    deny_rest = open_denial = False
    for line in lines_of(text, names):
        since = 0 if line.opens else since
        asked = former = False
        for sentence, ends in _with_ends(line.text):
            number += 1
            since += 1
            # Who asks, supposes or remembers does so until the sentence is over.
            asked = asked or OPEN_SENTENCE.search(sentence) is not None or ends.endswith("?")
            former = former or any(one.search(sentence) for one in (FORMER, PAST)) or PAST.search(ends) is not None  # fmt: skip
            clean = NOT_QUITE.sub("probably", sentence)
            if TO_THE_JUDGE.search(sentence):
                continue
            kept[number] = clean
            if DENIED_ALL.search(clean):
                clauses = [_with_denied(c) for c in clauses]
                continue
            if DENIED_NEXT.search(clean):
                deny_rest = True
                continue
            denied = deny_rest or open_denial
            clauses += [
                replace(
                    c, denied=c.denied or denied, asked=c.asked or asked, former=c.former or former
                )
                for c in _clauses(clean, number, line.section, since <= OPENING, names, phrases)
            ]
            open_denial = clean.endswith((";", "\uff1b")) and (
                open_denial or DENIES.search(clean) is not None
            )
            if not _PART_END.search(sentence):
                asked = former = False
    return Reading(tuple(clauses), kept)


def _with_ends(text: str) -> Iterator[tuple[str, str]]:
    """The parts of sentences, each with the last part of its whole sentence."""
    open_parts: list[str] = []
    for part in _sentences(text):
        open_parts.append(part)
        if not _PART_END.search(part):
            yield from ((one, part.rstrip(" \t\"')]")) for one in open_parts)
            open_parts = []
    yield from ((one, one) for one in open_parts)


def _with_denied(c: Clause) -> Clause:
    return replace(c, denied=True)


def _proposes(text: str, names: frozenset[str]) -> bool:
    """Whether a clause begins with what is to be done, and not with a component called like that."""
    verb = REPAIR.search(text)
    return verb is not None and verb[0].split()[-1].strip("`'\"*(").lower() not in names


def _hedged(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether a clause offers a possibility, in words that are not the truth's: `only one may lead`."""
    return any(
        not any(_around(found, text) in phrase for phrase in phrases)
        for found in HEDGE.finditer(text)
    )


def _around(found: re.Match[str], text: str) -> str:
    """A word with its neighbours, lower case."""
    before, after = text[: found.start()].split()[-1:], text[found.end() :].split()[:1]
    return " ".join([*before, found[0], *after]).lower().strip(".,;:()")


def _cleared(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether a clause says of something that it is all right, in words that are not the truth's."""
    return any(
        not any(found[0].strip().lower() in phrase for phrase in phrases)
        and not (_WAS.search(text[: found.end()]) and _AND_IS.match(text[found.end() :]))
        and not (_FROM.search(text[: found.end()]) and _TO.match(text[found.end() :]))
        for found in HEALTHY.finditer(text)
    )


def _clauses(
    sentence: str,
    number: int,
    section: Section,
    opening: bool,
    names: frozenset[str],
    phrases: tuple[str, ...],
) -> Iterator[Clause]:
    denied_all = any(
        not any(found[0].strip(" .;").lower() in phrase for phrase in phrases)
        for found in DENIES.finditer(sentence)
    )
    former = FORMER.search(sentence) is not None
    asked = OPEN_QUESTION.search(sentence) is not None
    at, role = 0, "claim"
    cleared = False
    parts: list[tuple[str, str, bool]] = []
    for m in [*LINK.finditer(sentence)]:
        if m.start() < at:
            continue
        parts.append((sentence[at : m.start()], role, cleared))
        kind = m.lastgroup or "turn"
        role = {"cause": "cause", "effect": "effect", "cleared": "claim", "turn": "claim"}[kind]
        cleared = kind == "cleared"
        at = m.end()
    parts.append((sentence[at:], role, cleared))
    for i, (text, role, cleared) in enumerate(parts):
        if not re.search(r"\w", text):
            continue
        if i + 1 < len(parts) and parts[i + 1][1] == "cause" and role == "claim":
            role = "effect"
        pieces = ARROW.split(text)
        for j, piece in enumerate(pieces):
            if not re.search(r"\w", piece):
                continue
            fine = j + 1 < len(pieces) and _FINE.fullmatch(pieces[j + 1]) is not None
            yield Clause(
                text=piece,
                sentence=number,
                section=section,
                role="effect" if j and role == "claim" else role,
                explicit=EXPLICIT.search(sentence) is not None
                or (opening and section is Section.CAUSE),
                hedged=_hedged(piece, phrases),
                denied=denied_all
                or cleared
                or section is Section.CLEARED
                or fine
                or _cleared(piece, phrases),
                former=former,
                asked=asked,
                repair=_proposes(piece, names) or section is Section.FIX,
            )
