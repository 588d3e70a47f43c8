"""What a diagnosis claims: statements with who is blamed, for what, and how firmly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from sregym_oracle_checklist.layout import MAX_SENTENCE, Line, Section, lines_of
from sregym_oracle_checklist.mechanisms import Hit, Marks, hits
from sregym_oracle_checklist.stance import (
    ALTERNATIVES,
    ARROW,
    CAUSE_OF,
    EXPLICIT,
    FORMER,
    HEALTHY,
    HEDGE,
    LINK,
    OPEN_QUESTION,
    OWNER,
    RELATION,
    SUFFERS,
    TO_THE_JUDGE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_oracle_checklist.naming import Mention, Names

_SENTENCE_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bapprox\.)(?<=[.!?])\s+|;\s+"
)
_PIECE_END = re.compile(r",\s+|\s+\(|\)|\s+-{1,2}\s+|:\s+")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can\w*|could\w*|will|would|looks?|seems?|works?|fails?|failed|runs?|returns?|matches|checks?|appears?|no|not|nothing|ruled|rule|healthy|victims?)\b",
    re.IGNORECASE,
)
_LIST_GAP = re.compile(
    r"^[`\"'\s]*(?:(?:micro)?services?|deployments?|pods?|[,/&+]|and|or|as well as|plus|the|both|also|nor|then|\s|[`\"'])*$",
    re.IGNORECASE,
)
OWNER_BONUS = 40
POSSESSIVE_BONUS = 40
DATASTORE_FAMILIES = frozenset({"role-revoked", "account-dropped"})
NEAR = 80
LOOK_BACK = 80


class Level(IntEnum):
    """How strongly something is claimed to be the cause."""

    EFFECT = 0
    LINKED = 1
    DEFECT = 2
    LINKED_DEFECT = 3
    EXPLICIT = 4
    EXPLICIT_DEFECT = 5


@dataclass(frozen=True)
class Statement:
    """One claim.

    Attributes:
        blamed: Components that it makes responsible.
        families: What kinds of defect it names.
        level: How strongly.
        hedged: Whether it is only offered as a possibility.
        quote: The sentence.
        text: The part that claims.
    """

    blamed: tuple[str, ...]
    families: tuple[str, ...]
    level: Level
    hedged: bool
    quote: str
    text: str


@dataclass
class Reading:
    """All that a text says, in order."""

    statements: list[Statement] = field(default_factory=list)
    affected: list[str] = field(default_factory=list)
    contributing: list[str] = field(default_factory=list)
    mentioned: list[str] = field(default_factory=list)
    guessed: list[str] = field(default_factory=list)
    to_the_judge: list[str] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True)
class _Segment:
    """A part of a sentence with one role; what is cleared of blame is blanked out."""

    text: str
    link: str
    mentions: tuple[Mention, ...]
    found: tuple[Hit, ...]
    explicit: bool


def read(text: str, names: Names, marks: Marks) -> Reading:
    """Read a submission; never raises, whatever the text is."""
    reading = Reading()
    kept: list[str] = []
    last: tuple[str, ...] = ()
    for line in lines_of(text, names.lower()):
        for place, sentence in enumerate(_sentences(line.text)):
            clean = _without_words_to_the_judge(sentence, reading)
            if re.search(r"\w", clean):
                last = _read_sentence(clean, line, place == 0, names, marks, last, reading)
                kept.append(clean)
    reading.text = "\n".join(kept)
    return reading


def _sentences(text: str) -> list[str]:
    sentences = []
    for sentence in _SENTENCE_END.split(text):
        while len(sentence) > MAX_SENTENCE:
            cut = sentence.rfind(" ", 1, MAX_SENTENCE)
            cut = MAX_SENTENCE if cut < 0 else cut
            sentences.append(sentence[:cut])
            sentence = sentence[cut:]
        sentences.append(sentence)
    return sentences


def _without_words_to_the_judge(sentence: str, reading: Reading) -> str:
    if not TO_THE_JUDGE.search(sentence):
        return sentence
    pieces = re.split(r"(,\s+|:\s+|\s+-\s+)", sentence)
    kept = []
    for piece in pieces:
        if TO_THE_JUDGE.search(piece):
            reading.to_the_judge.append(piece.strip())
        else:
            kept.append(piece)
    rest = "".join(kept)
    if TO_THE_JUDGE.search(rest) or rest == sentence:  # it spans the pieces
        reading.to_the_judge.append(sentence.strip())
        return ""
    return rest.strip(" ,:-")


def _read_sentence(
    sentence: str,
    line: Line,
    first: bool,
    names: Names,
    marks: Marks,
    last: tuple[str, ...],
    reading: Reading,
) -> tuple[str, ...]:
    """Read one sentence; gives the components that a following `it` may mean."""
    mentions = names.find(sentence)
    reading.mentioned += [m.component for m in mentions]
    everybody = tuple(dict.fromkeys(m.component for m in mentions))
    if line.section is Section.CONTRIBUTING:
        reading.contributing += everybody
        return last
    if line.section in (Section.CLEARED, Section.FIX, Section.EVIDENCE) and not (
        line.section is Section.EVIDENCE and re.search(r"\broot[- ]?cause", sentence, re.I)
    ):
        return last
    if OPEN_QUESTION.search(sentence):
        reading.guessed += everybody
        return everybody[-1:] or last
    segments = _segments(sentence, names, marks)
    roles = _roles(segments, line, first)
    hedged = _is_hedged(sentence)
    former = FORMER.search(sentence)
    current = last
    for segment, role in zip(segments, roles, strict=True):
        here = tuple(dict.fromkeys(m.component for m in segment.mentions))
        if role is Level.EFFECT:
            reading.affected += here
        else:
            blamed = _blamed(segment, role, names) or (current[-1:] if segment.found else ())
            reading.guessed += here if hedged else ()
            if hedged and ALTERNATIVES.search(sentence):
                blamed = here or blamed  # each of them is offered, with or without a defect
            families = tuple(dict.fromkeys(hit.family for hit in segment.found))
            level = _level(role, bool(families))
            if (blamed or families) and level is not None and not (former and level < 4):
                reading.statements.append(
                    Statement(blamed, families, level, hedged, sentence, segment.text)
                )
        current = here or current
    return _it(segments, roles, names) or everybody[-1:] or last


def _it(segments: Sequence[_Segment], roles: Sequence[Level], names: Names) -> tuple[str, ...]:
    """Whom a following `its` means: who was blamed, before who was only named."""
    for segment, role in zip(segments, roles, strict=True):
        if role is not Level.EFFECT and (blamed := _blamed(segment, role, names)):
            return blamed[-1:]
    return ()


def _level(role: Level, defect: bool) -> Level | None:
    if role is Level.EXPLICIT:
        return Level.EXPLICIT_DEFECT if defect else Level.EXPLICIT
    if role is Level.LINKED:
        return Level.LINKED_DEFECT if defect else Level.LINKED
    return Level.DEFECT if defect else None


def _is_hedged(sentence: str) -> bool:
    return HEDGE.search(sentence) is not None


def _segments(sentence: str, names: Names, marks: Marks) -> list[_Segment]:
    """Cut at links, blank out what is cleared, find names and defects in the rest."""
    masked = CAUSE_OF.sub(lambda m: re.sub(r"\w", " ", m[0]), sentence)
    explicit_at = [m.start() for m in EXPLICIT.finditer(sentence)]
    cuts: list[tuple[int, int, str]] = []
    for match in LINK.finditer(masked):
        kind = next(name for name, value in match.groupdict().items() if value)
        cuts.append((match.start(), match.end(), kind))
    segments = []
    at, link = 0, ""
    for start, end, kind in [*cuts, (len(masked), len(masked), "")]:
        part = masked[at:start]
        marked = any(at <= place < max(start, at + 1) for place in explicit_at)
        if link != "cleared":
            text = _blank_cleared(part, marks)
            segments.append(
                _Segment(
                    text,
                    link,
                    tuple(names.find(text)),
                    tuple(hits(text, marks)),
                    marked and bool(text.strip()),
                )
            )
        at, link = end, kind
    return segments


def _blank_cleared(part: str, marks: Marks) -> str:
    """Blank out pieces that say that something is all right; a bare list before one goes with it."""
    bounds = [0, *(m.end() for m in _PIECE_END.finditer(part)), len(part)]
    pieces = [(a, b) for a, b in pairwise(bounds) if a < b]
    out = list(part)
    held: list[tuple[int, int]] = []
    for a, b in pieces:
        piece = part[a:b]
        if _is_cleared(piece, marks):
            for start, end in [*held, (a, b)]:
                out[start:end] = " " * (end - start)
            held = []
        elif _VERB.search(piece) or EXPLICIT.search(piece) or hits(piece):
            held = []
        else:
            held.append((a, b))
    return "".join(out)


def _is_cleared(piece: str, marks: Marks) -> bool:
    """Whether a piece only says that something is all right: nothing in or behind it accuses."""
    match = HEALTHY.search(piece)
    return match is not None and not any(hit.end > match.start() for hit in hits(piece, marks))


def _roles(segments: Sequence[_Segment], line: Line, first: bool) -> list[Level]:
    """Role of each segment: EFFECT, LINKED for a cause, EXPLICIT for the root cause, DEFECT else."""
    labelled = line.section is Section.CAUSE and (
        first
        and (
            line.opens or not re.search(r"[a-z] [a-z]", line.text) or any(s.found for s in segments)
        )
    )
    explicit = labelled or any(s.explicit for s in segments)
    causes = [i for i, s in enumerate(segments) if s.link == "cause"]
    effects = [i for i, s in enumerate(segments) if s.link == "effect"]
    roles = [Level.DEFECT] * len(segments)
    origin = _origin(segments, causes, effects)
    for i, segment in enumerate(segments):
        if origin is not None:
            roles[i] = Level.LINKED if i == origin else Level.EFFECT
            if segment.link == "turn" and i > origin:
                roles[i] = Level.DEFECT
        if line.section is Section.EFFECT and not segment.explicit:
            roles[i] = Level.EFFECT
    if (explicit and line.section is not Section.EFFECT) or any(s.explicit for s in segments):
        target = origin if origin is not None else _explicit_at(segments, labelled)
        roles[target] = Level.EXPLICIT
    return roles


def _origin(
    segments: Sequence[_Segment], causes: Sequence[int], effects: Sequence[int]
) -> int | None:
    """Index of the deepest cause in a chain of because and therefore."""
    if causes:
        return causes[-1]
    if effects:
        before = [i for i in range(effects[0]) if segments[i].mentions or segments[i].found]
        if before:
            return before[-1]
        after = [i for i, s in enumerate(segments) if s.link != "effect" and i > effects[0]]
        return after[0] if after else 0
    return None


def _explicit_at(segments: Sequence[_Segment], labelled: bool) -> int:
    marked = [i for i, s in enumerate(segments) if s.explicit]
    start = marked[0] if marked and not labelled else 0
    later = [i for i in range(start, len(segments)) if segments[i].mentions or segments[i].found]
    with_defect = [i for i in later if segments[i].found]
    return (with_defect or later or [start])[0]


def _blamed(segment: _Segment, role: Level, names: Names) -> tuple[str, ...]:
    """Components that the segment makes responsible: the holders of its defects, else all named."""
    groups = _groups(segment)
    if not groups:
        return ()
    blamed: list[str] = []
    for hit in segment.found:
        blamed += _holder(hit, groups, segment.text, names)
    if not segment.found and role is not Level.DEFECT:
        direct = [g for g in groups if not RELATION.search(_just_before(segment.text, g[0]))]
        blamed = [m.component for group in direct or groups[-1:] for m in group]
    return tuple(dict.fromkeys(blamed))


def _groups(segment: _Segment) -> list[list[Mention]]:
    """Mentions that stand in one list belong together."""
    groups: list[list[Mention]] = []
    for mention in segment.mentions:
        if groups:
            gap = segment.text[groups[-1][-1].end : mention.start]
            if _LIST_GAP.match(gap) and gap.strip() and not ARROW.search(gap):
                groups[-1].append(mention)
                continue
        groups.append([mention])
    return groups


def _just_before(text: str, mention: Mention) -> str:
    """The words that lead up to a mention."""
    return text[max(0, mention.start - LOOK_BACK) : mention.start]


def _holder(hit: Hit, groups: Sequence[Sequence[Mention]], text: str, names: Names) -> list[str]:
    """The list of components nearest to a defect, as grammar would have it."""
    wanted = {"datastore"} if hit.family in DATASTORE_FAMILIES else set()

    def distance(group: Sequence[Mention]) -> float:
        before, after = _just_before(text, group[0]), text[group[-1].end :]
        gap = max(hit.start - group[-1].end, group[0].start - hit.end, 0)
        cost = float(gap)
        if RELATION.search(before) and not OWNER.search(before):
            cost += NEAR
        if OWNER.search(before) and group[0].start > hit.start:
            cost -= OWNER_BONUS
        if re.match(r"[`\"]?'s?\b|[`\"]? (?:service|deployment)'s\b", after):
            cost -= POSSESSIVE_BONUS
        if all(m.address for m in group):
            cost += 3 * NEAR  # `mongodb-geo:27017` is mostly a value that somebody else reads
        if wanted and any(names.kinds.get(m.component) in wanted for m in group):
            cost -= 2 * NEAR
        return cost

    groups = [g for g in groups if g[0].start < hit.end or not SUFFERS.match(text[g[-1].end :])]
    if not groups:
        return []
    best = min(groups, key=lambda g: (distance(g), g[0].start))
    return [mention.component for mention in best]
