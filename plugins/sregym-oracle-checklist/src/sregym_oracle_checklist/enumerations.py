"""Diagnoses that list several defects of which one may be true: a guess in many parts is no finding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_oracle_checklist.concepts import relations, subjects
from sregym_oracle_checklist.layout import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_oracle_checklist.naming import Names
    from sregym_oracle_checklist.passages import Clause
    from sregym_oracle_checklist.profile import Profile

# So many other defects in a list are a list of defects, whatever stands beside them.
MANY_LISTED = 4
# An item of a list has at most so many words, and a sentence that is one at most so many characters.
ITEM_WORDS, ITEM_CHARS = 8, 60
# A piece with so much of the mechanism's content is no other defect; with so much more it is the true one.
RELATED, TRUE = 0.5, 0.75
MAX_PIECES = 100
_BETWEEN = re.compile(
    r"[,;|]|\s/\s|\b(?:and|plus|or|as well as)\b|[.!?](?:\s|$)|\n|:\s", re.IGNORECASE
)
# What begins so tells a consequence, a circumstance or what else was looked at, and no defect.
_BESIDE = re.compile(
    r"^\W*(?:so|which|because|therefore|hence|thus|leading|making|causing|when|while|then|until|as|since|that|this|it|they"
    r"|its|with|every|each|all|no|nothing|after|before|if|but|not|for|in|on|at|from|to|by|where|whose|once|only|users?"
    r"|requests?|others?|due|kubectl|logs?|events?)\b",
    re.IGNORECASE,
)


class Enumerations:
    """Finds lists of defects in what a text claims to be the cause.

    Args:
        profile: The ground truth.
        names: Components of the application.
        clauses: The whole text.
    """

    def __init__(self, profile: Profile, names: Names, clauses: Sequence[Clause]) -> None:
        self._profile = profile
        self._names = names
        self._sentences = _told(clauses)

    def figures(self) -> Mapping[str, float]:
        """Both of them, 0 or 1: other defects in one list with the true one, and many of them in any list."""
        lists = [*map(_pieces, (text for _, text in self._sentences)), *self._items()]
        many = any(sum(map(self._is_other, pieces)) >= MANY_LISTED for pieces in lists)
        return {
            "enumerated": float(many or any(map(self._beside_the_true_one, lists))),
            "enumerated_many": float(many),
        }

    def _items(self) -> Iterator[list[str]]:
        """Lists whose items are short sentences that follow each other."""
        run: list[str] = []
        previous = -1
        for number, text in self._sentences:
            if len(text) >= ITEM_CHARS:
                continue
            if number != previous + 1:
                yield run
                run = []
            run = [*run, *_pieces(text)]
            previous = number
        yield run

    def _beside_the_true_one(self, pieces: Sequence[str]) -> bool:
        """Whether a list has the true defect and another; where a part is long, it tells what happened."""
        profile = self._profile
        if any(len(piece.split()) > ITEM_WORDS for piece in pieces):
            return False
        return any(map(self._is_other, pieces)) and any(
            profile.says_own_words(p) or profile.says_mechanism(p) >= TRUE for p in pieces
        )

    def _is_other(self, piece: str) -> bool:
        """Whether an item speaks of nothing but the subject of some other defect."""
        if len(piece.split()) > ITEM_WORDS or _BESIDE.search(piece):
            return False
        about, profile = subjects(piece), self._profile
        if not about - profile.subjects or about & profile.core or self._names.find(piece):
            return False
        return profile.says_mechanism(piece) < RELATED


def lists_defects(sentences: Sequence[str], profile: Profile) -> bool:
    """Whether many other defects are listed, one after the other: in a sentence, or in short ones.

    Looser than `Enumerations`: whole sentences are items, too. It weighs beside other figures.
    """

    def count(sentence: str) -> int:
        pieces = re.split(r"[,/]", sentence)[:MAX_PIECES]
        return sum(bool(subjects(p) - profile.subjects and relations(p)) for p in pieces)

    brief = sum(count(s) for s in sentences if len(s) < ITEM_CHARS)
    return max(brief, *map(count, sentences), 0) >= MANY_LISTED


def _told(clauses: Sequence[Clause]) -> Sequence[tuple[int, str]]:
    """What is claimed to be the cause, by number of the sentence."""
    found: dict[int, list[str]] = {}
    for clause in clauses:
        unsaid = clause.denied or clause.asked or clause.former or clause.repair
        if (
            unsaid
            or clause.role == "effect"
            or clause.section in (Section.EFFECT, Section.EVIDENCE)
        ):
            continue
        found.setdefault(clause.sentence, []).append(clause.text)
    return [(number, ", ".join(parts)) for number, parts in found.items()]


def _pieces(text: str) -> list[str]:
    return [*_split(text)][:MAX_PIECES]


def _split(text: str) -> Iterator[str]:
    for piece in _BETWEEN.split(text):
        if piece.strip():
            yield piece.strip()
