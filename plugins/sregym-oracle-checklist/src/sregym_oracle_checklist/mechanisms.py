"""Which families of defects a piece of text speaks of, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_oracle_checklist.lexicon import (
    DEFECT_PATTERNS,
    FAMILY_OF,
    NOUN_PATTERNS,
    PHRASE_PATTERNS,
    TRUTH_FAMILIES,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import GroundTruth

# How far a defect word may stand from its noun; sentences about one thing rarely stretch more.
REACH_BACK, REACH_AHEAD = 90, 45
ADJACENT = 2
LONGEST_NEGATION = 40
# Things that have the parts which are defective.
HOLDERS = frozenset({"account", "configmap", "service", "workload"})
_OF = re.compile(r"\W{0,3}(?:on|of|in|for|at)\b[^,;:]*$")
_NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\bneither|\bnothing)(?: (?:been|be|at all|the|a|an|any|really|actually|obviously))? $"
)


@dataclass(frozen=True)
class Hit:
    """A family found at a place."""

    family: str
    start: int
    end: int


@dataclass(frozen=True)
class Marks:
    """What one problem adds to the vocabulary: its own names and values.

    Attributes:
        nouns: Class of noun -> names that are such nouns here, like the key that was removed.
        values: Family -> (classes of nouns, new values): beside such a noun the new value alone
            tells the defect, however it is put.
    """

    nouns: tuple[tuple[str, re.Pattern[str]], ...] = ()
    values: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = ()


@dataclass(frozen=True)
class _Word:
    name: str
    start: int
    end: int


_NO_MARKS = Marks()


def _tokens(text: str, patterns: Sequence[tuple[str, re.Pattern[str]]]) -> list[_Word]:
    """Non-overlapping matches; where several begin at one place the longest wins."""
    found = [_Word(name, m.start(), m.end()) for name, p in patterns for m in p.finditer(text)]
    found.sort(key=lambda word: (word.start, -word.end))
    kept: list[_Word] = []
    for word in found:
        if not kept or word.start >= kept[-1].end:
            kept.append(word)
    return kept


def _negated(text: str, place: int) -> bool:
    return _NEGATED.search(text[max(0, place - LONGEST_NEGATION) : place]) is not None


def hits(text: str, marks: Marks = _NO_MARKS) -> list[Hit]:
    """The families that the text speaks of, by place; a negated defect is none.

    Where one family only sounds like another that is there too, only that other is given.
    """
    return _most_specific(all_hits(text, marks), text)


def all_hits(text: str, marks: Marks = _NO_MARKS) -> list[Hit]:
    """Like `hits`, with those that only sound like others."""
    found = [
        Hit(family, m.start(), m.end())
        for family, pattern in PHRASE_PATTERNS
        for m in pattern.finditer(text)
        if not _negated(text, m.start())
    ]
    nouns = _tokens(text, (*marks.nouns, *NOUN_PATTERNS))
    for family, classes, pattern in marks.values:
        for value in pattern.finditer(text):
            near = [
                n
                for n in nouns
                if n.name in classes
                and max(n.start - value.end(), value.start() - n.end) <= REACH_BACK
            ]
            found += [
                Hit(family, min(n.start, value.start()), max(n.end, value.end())) for n in near
            ]
    for name, defects in DEFECT_PATTERNS:
        for match in defects.finditer(text):
            if _negated(text, match.start()):
                continue
            defect = _Word(name, match.start(), match.end())
            for noun in _owners(defect, nouns, text):
                meant = FAMILY_OF.get((noun.name, name))
                if meant is not None:
                    start, end = min(noun.start, defect.start), max(noun.end, defect.end)
                    found.append(Hit(meant, start, end))
                    break
                if 0 <= noun.start - defect.end <= ADJACENT:
                    break  # `missing endpoints`: the word is theirs, whatever stands before it
    return sorted(set(found), key=lambda h: (h.start, h.end, h.family))


def _owners(defect: _Word, nouns: Sequence[_Word], text: str) -> list[_Word]:
    """The nouns that a defect word may belong to: the nearest before it and the nearest after.

    In `the selector of the Service is wrong` the one before is the selector.
    """
    before = [n for n in nouns if n.end <= defect.start and defect.start - n.end <= REACH_BACK]
    after = [n for n in nouns if n.start >= defect.end and n.start - defect.end <= REACH_AHEAD]
    while len(before) > 1 and before[-1].name in HOLDERS:
        if not _OF.match(text[before[-2].end : before[-1].start]):
            break
        before.pop()
    owners = [*before[-1:], *after[:1]]
    return sorted(owners, key=lambda n: min(abs(defect.start - n.end), abs(n.start - defect.end)))


# Where both are found in one place, the first says what the second only sounds like.
_STRONGER = (
    ("placement", "service-selector"),
    ("placement", "workload-missing"),
    ("placement", "code"),
    ("request-too-large", "resource-limit"),
    ("request-too-large", "cpu-limit"),
    ("init-container", "service-missing"),
    ("tls-required", "certificate"),
    ("tls-required", "configmap-drift"),
    ("init-container", "workload-missing"),
    ("init-container", "dns"),
    ("probe-wrong", "service-target-port"),
    ("probe-wrong", "workload-missing"),
    *(
        (strong, weak)
        for strong in ("preemption", "autoscaler", "job-backlog", "shared-memory")
        for weak in (
            "configmap-drift",
            "workload-missing",
            "resource-limit",
            "cpu-limit",
            "request-too-large",
        )
    ),
    ("webhook", "service-missing"),
    ("webhook", "workload-missing"),
    ("rollout-strategy", "init-container"),
    ("port-conflict", "service-target-port"),
    ("port-conflict", "service-missing"),
    ("env-wrong", "service-target-port"),
    ("env-wrong", "configmap-drift"),
    ("env-missing", "configmap-drift"),
    ("env-missing", "env-wrong"),
    ("command-wrong", "image-wrong"),
    ("storage", "workload-missing"),
    ("configmap-drift", "configmap-missing"),
    ("role-revoked", "account-dropped"),
    ("service-selector", "service-missing"),
    ("service-target-port", "service-missing"),
    ("replicas-zero", "workload-missing"),
    ("service-missing", "workload-missing"),
    ("configmap-missing", "workload-missing"),
    ("configmap-missing", "storage"),
    ("configmap-drift", "service-target-port"),
    ("resource-limit", "memory-leak"),
    ("network-policy", "service-target-port"),
    ("network-policy", "service-selector"),
    ("network-policy", "role-revoked"),
    ("network-policy", "dns"),
    ("network-policy", "dns-policy"),
    ("traffic-policy", "service-selector"),
    ("selector-wide", "service-selector"),
    ("service-protocol", "service-target-port"),
    ("external-name", "service-missing"),
    ("external-name", "configmap-drift"),
    ("external-name", "dns"),
    ("external-name", "workload-missing"),
    ("endpoints-stale", "configmap-drift"),
    ("endpoints-stale", "workload-missing"),
    ("service-missing", "dns"),
    ("dns-policy", "dns"),
    ("dns-policy", "external-name"),
    ("dns-policy", "replicas-zero"),
    ("dns-policy", "configmap-drift"),
    ("host-alias", "dns"),
    ("host-alias", "configmap-drift"),
    ("dns", "configmap-drift"),
    ("dns-down", "dns"),
    ("dns-down", "replicas-zero"),
    ("dns-down", "workload-missing"),
    ("dns", "service-selector"),
)
_KEY = re.compile(
    r"\b(?:keys?|entry|entries|fields?|settings?|propert(?:y|ies)|address|addresses|value|drift\w*)\b|config\.json",
    re.I,
)
_ROLE = re.compile(
    r"\b(?:roles?|privileges?|permissions?|grants?|read-?write|authori[sz]\w+)\b", re.I
)
_SELECTOR = re.compile(r"\b(?:selectors?|labels?)\b", re.I)
_PORT = re.compile(r"\b(?:target-?)?ports?\b", re.I)
_EVIDENCE_FOR = {
    "configmap-missing": ("configmap-drift", _KEY),
    "account-dropped": ("role-revoked", _ROLE),
    "service-missing": ("service-selector", _SELECTOR),
}


def _most_specific(found: Sequence[Hit], text: str) -> list[Hit]:
    """Drop a family where words of a stronger one stand in the same hit or nearby."""
    families = {hit.family for hit in found}
    drop = {weak for strong, weak in _STRONGER if strong in families and weak in families}
    for weak, (strong, words) in _EVIDENCE_FOR.items():
        if weak in families and strong in families and words.search(text):
            drop.add(weak)
    return [hit for hit in found if hit.family not in drop]


def truth_family(truth: GroundTruth) -> str:
    """The lexicon's family of a ground truth, or its own slug when the lexicon has none.

    A word of the slug alone makes no family: `replica-role-swapped` revokes no role. The lexicon has
    to read the slug so, and most of what its author calls it; else the author's words count.
    """
    return _family(truth.mechanism, truth.mechanism_phrases)


@lru_cache(maxsize=256)
def _family(mechanism: str, phrases: tuple[str, ...]) -> str:
    slug = mechanism.lower().replace("_", "-").replace(" ", "-")
    for family, pattern in TRUTH_FAMILIES:
        if re.search(rf"(?:^|-)(?:{pattern})(?:-|$)", slug):
            return family if _reads(slug, phrases, family) else mechanism
    return mechanism


def _reads(slug: str, phrases: tuple[str, ...], family: str) -> bool:
    words = slug.replace("-", " ")
    if not any(hit.family == family for hit in hits(words)):
        return False
    read = sum(any(hit.family == family for hit in hits(phrase)) for phrase in phrases)
    return 2 * read >= len(phrases)


def says_mechanism(text: str, truth: GroundTruth) -> bool:
    """Whether a text says the truth's own words for its mechanism.

    For a family of the lexicon its phrases count only when they say more than a symptom, that is,
    when the lexicon recognises them; for any other, as whole words in usual inflections.
    """
    phrases = (truth.mechanism.replace("-", " "), *truth.mechanism_phrases)
    family = truth_family(truth)
    known = family != truth.mechanism
    low = re.sub(r"[-_]", " ", text.lower())
    return any(
        _inflected(phrase).search(low)
        for phrase in phrases
        if not known or any(hit.family == family for hit in hits(phrase))
    )


def _inflected(phrase: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in re.sub(r"[-_]", " ", phrase.lower()).split()]
    joined = r"\W+(?:the |a |an |its )?".join(rf"{word}(?:e?s|e?d|ing)?" for word in words)
    return re.compile(rf"(?<!\w){joined}(?!\w)")
