"""How much of an author's phrase a text has, by word or by meaning."""

from __future__ import annotations

import re

from sregym_oracle_checklist.concepts import relations, spaced, stems, subjects
from sregym_oracle_checklist.values import Values

_RELATION_WEIGHT, _MEANING_WEIGHT = 0.6, 0.85
# A word of the place tells little of what is wrong there.
_PLACE_WEIGHT = 0.3
# What is wrong, told without the thing that it is wrong with.
_OF_WHAT_WEIGHT = 0.6
# A part of a compound is told with so much of its content.
_PART_TOLD = 0.6


def _alike(subject: frozenset[str], about: frozenset[str]) -> float:
    """How far a word is meant by what a text speaks of: `route` is of the network, and more than that."""
    return len(subject & about) / len(subject) if subject else 0.0


class Wording:
    """A phrase for a mechanism, word by word.

    Args:
        phrase: With the parts of compound names as words.
        place: Stems of what the defective thing is called.
        place_subjects: What that stands for.
    """

    def __init__(self, phrase: str, place: frozenset[str], place_subjects: frozenset[str]) -> None:
        self._words: list[tuple[frozenset[str], frozenset[str], frozenset[str], float]] = []
        self._telling = False
        for word in re.findall(r"[a-z][a-z'-]+", phrase):
            stem = stems(word)
            if not stem:
                continue
            subject, relation = subjects(word), relations(word)
            weight = _RELATION_WEIGHT if relation and not subject else 1.0
            named = stem <= place or (bool(subject) and subject <= place_subjects)
            weight *= _PLACE_WEIGHT if named else 1.0
            self._telling = self._telling or not named
            self._words.append((stem, subject, relation, weight))
        self._total = sum(weight for *_, weight in self._words)
        self._about = subjects(phrase) - place_subjects

    def share(self, bag: frozenset[str], about: frozenset[str], wrong: frozenset[str]) -> float:
        """The share of its content in a text with these stems, subjects and relations, 0 to 1."""
        got = 0.0
        for stem, subject, relation, weight in self._words:
            if stem & bag:
                got += weight
            elif relation & wrong:
                got += _MEANING_WEIGHT * weight
            else:
                got += _MEANING_WEIGHT * weight * _alike(subject, about)
        share = got / self._total if self._total else 0.0
        if self._about and not self._about & about:  # `is gone` is said of many things
            share *= _OF_WHAT_WEIGHT
        return share if self._telling else share * _PLACE_WEIGHT


class Predicate:
    """What a phrase says of a thing and its field, without the words for these.

    Args:
        phrase: With the parts of compound names as words.
        named: Stems of thing and field.
        known: Subjects of thing and field.
    """

    def __init__(self, phrase: str, named: frozenset[str], known: frozenset[str]) -> None:
        self._words: list[tuple[frozenset[str], frozenset[str], frozenset[str]]] = []
        for word in re.findall(r"[a-z][a-z'-]+", phrase):
            stem, subject, relation = stems(word), subjects(word), relations(word)
            if stem and not stem <= named and (relation or not subject or not subject <= known):
                self._words.append((stem, subject, relation))

    def share(self, bag: frozenset[str], about: frozenset[str], wrong: frozenset[str]) -> float:
        """The share of its words in a text with these stems, subjects and relations, 0 to 1."""
        got = 0.0
        for stem, subject, relation in self._words:
            if stem & bag:
                got += 1
            elif relation & wrong:
                got += _MEANING_WEIGHT
            elif not relation:
                got += _MEANING_WEIGHT * _alike(subject, about)
        return got / len(self._words) if self._words else 0.0


class Part:
    """One of several faults that a ground truth lists together."""

    def __init__(self, phrase: str, what: str, before: str, after: str, known: str) -> None:
        self._phrase = Wording(spaced(phrase), frozenset(), frozenset())
        self._after = Values(after, before, known)
        self._stems = stems(what) - stems(known)

    def told_in(self, text: str) -> bool:
        """Whether a text speaks of it: by its value, its field or its mechanism."""
        if self._after.in_text(text):
            return True
        have = stems(text)
        if self._stems and len(self._stems & have) / len(self._stems) >= _PART_TOLD:
            return True
        return self._phrase.share(have, subjects(text), relations(text)) >= _PART_TOLD
