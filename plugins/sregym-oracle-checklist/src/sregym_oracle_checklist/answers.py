"""The nine answers, from what a text was read to claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_oracle_checklist.details import detail_tokens, gives_detail, whole_word
from sregym_oracle_checklist.lexicon import NOUN_PATTERNS
from sregym_oracle_checklist.mechanisms import Marks, all_hits, says_mechanism, truth_family
from sregym_oracle_checklist.reading import Level, Reading, Statement
from sregym_oracle_checklist.stance import ALTERNATIVES, EVERYBODY, NO_IMPACT
from sregym_oracles import CHECKLIST, Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import GroundTruth

    from sregym_oracle_checklist.naming import Names

MAX_UNINVOLVED_VICTIMS = 2
MAX_OTHER_FAMILIES = 0
# Shorter words are too common to stand for a key.
MIN_KEY = 5
_NOUN_OF = {
    "service-selector": ("selector",),
    "service-target-port": ("port",),
    "configmap-drift": ("key", "config", "configmap"),
    "image-wrong": ("image",),
    "resource-limit": ("memory",),
    "replicas-zero": ("replicas",),
    "role-revoked": ("role",),
}


@dataclass(frozen=True)
class Case:
    """What a text is held against.

    Attributes:
        truth: The root cause in question.
        others: Further root causes of the same problem; naming them is no error.
        names: Components of the application.
    """

    truth: GroundTruth
    others: tuple[GroundTruth, ...]
    names: Names

    def allowed(self) -> frozenset[str]:
        """Components that may be called causes."""
        truths = (self.truth, *self.others)
        return frozenset(
            name for truth in truths for name in (truth.component, *truth.contributing)
        )

    def involved(self) -> frozenset[str]:
        """Components that have any part in the incident; whoever asks is always among them."""
        load = [name for name, kind in self.names.kinds.items() if kind == "load"]
        truths = (self.truth, *self.others)
        return self.allowed() | {name for t in truths for name in t.affected} | set(load)


def claims_of(reading: Reading) -> list[Statement]:
    """The statements that make the diagnosis: firm before hedged, explicit before implied."""
    firm = [s for s in reading.statements if not s.hedged]
    # A hedge in one sentence does not undo a firm root cause in another; but a guess about the
    # root cause is not made firm by some defect that was seen along the way.
    if not any(s.level >= Level.EXPLICIT for s in firm) and any(
        s.level >= Level.EXPLICIT for s in reading.statements
    ):
        firm = []
    pool = firm or reading.statements
    chosen: list[Statement] = []
    for levels in (
        (Level.EXPLICIT, Level.EXPLICIT_DEFECT),
        (Level.LINKED_DEFECT,),
        (Level.DEFECT,),
        (Level.LINKED,),
    ):
        chosen += [s for s in pool if s.level in levels]
        if any(s.blamed for s in chosen):
            break
    return chosen


def marks_of(truths: Sequence[GroundTruth]) -> Marks:
    """What the ground truths add to the vocabulary; only names and values of things."""
    nouns, values = [], []
    for truth in truths:
        family = truth_family(truth)
        classes = _NOUN_OF.get(family, ())
        if family == "configmap-drift":
            nouns += [
                ("key", whole_word(t))
                for t in detail_tokens(truth)
                if t.isalpha() and len(t) > MIN_KEY
            ]
        if family == "account-dropped":
            nouns.append(("account", whole_word(truth.object_name)))
        before = truth.changed.before.lower()
        for token in detail_tokens(truth):
            new = token in truth.changed.after.lower() and token not in before
            if new and classes and len(token) > 1:
                values.append((family, classes, whole_word(token)))
    return Marks(tuple(nouns), tuple(values))


def answers_from_text(reading: Reading, case: Case) -> list[Answer]:
    """Answers to all nine questions, each with the sentence that decided it."""
    claims = claims_of(reading)
    if not claims:
        evidence = "the text claims no cause" if reading.text else "the text is empty"
        return [Answer(q.id, False, evidence) for d in CHECKLIST for q in d.questions]
    return [
        *_localisation(reading, claims, case),
        *_characterisation(reading, claims, case),
        *_scope(reading, claims, case),
    ]


def _blamed(claims: Sequence[Statement]) -> list[str]:
    return list(dict.fromkeys(name for claim in claims for name in claim.blamed))


def _extra(claims: Sequence[Statement], reading: Reading, case: Case) -> list[str]:
    """Components wrongly called causes; where all is guessed, every guess counts."""
    guessed = reading.guessed if all(claim.hedged for claim in claims) else []
    named = dict.fromkeys([*_blamed(claims), *guessed])
    return [name for name in named if name not in case.allowed()]


def _localisation(reading: Reading, claims: Sequence[Statement], case: Case) -> list[Answer]:
    truth = case.truth
    blamed, extra = _blamed(claims), _extra(claims, reading, case)
    named = truth.component in blamed
    quote = next((c.quote for c in claims if truth.component in c.blamed), claims[0].quote)
    everybody = any(EVERYBODY.search(claim.text) for claim in claims)
    victims = [name for name in extra if name in truth.affected]
    said = f"blamed: {', '.join(blamed) or 'nobody'}; {quote}"
    return [
        Answer("component", named and not extra and not everybody, said),
        Answer("origin", named and not victims, said),
        Answer("no-healthy-blamed", bool(blamed) and not extra, said),
    ]


def _characterisation(reading: Reading, claims: Sequence[Statement], case: Case) -> list[Answer]:
    truth = case.truth
    about = _about(reading, claims, case)
    mine = truth_family(truth)
    expected = {mine, *_sounds_like(truth, mine)}
    for other in case.others:
        family = truth_family(other)
        expected |= {family, *_sounds_like(other, family)}
    right = next((s for s in about if _is_right(s, truth, mine)), None)
    wrong = list(
        dict.fromkeys(
            f
            for s in about
            for f in s.families
            if f not in expected and not _is_right(s, truth, mine)
        )
    )
    mixed = list(dict.fromkeys(f for s in about for f in s.families if f not in expected))
    guessing = all(s.hedged for s in about) and (bool(mixed) or any(_alternates(s) for s in about))
    mechanism = right is not None and len(mixed) <= MAX_OTHER_FAMILIES and not guessing
    detail = gives_detail(reading.text, truth)
    return [
        Answer("mechanism", mechanism, right.quote if right else f"not said: {mine}"),
        Answer(
            "detail",
            detail is not None,
            f"{detail}" if detail else f"no word of {', '.join(detail_tokens(truth)[:4])}",
        ),
        Answer(
            "no-wrong-mechanism",
            bool(about) and not wrong and not guessing,
            f"also claimed: {', '.join(wrong)}" if wrong else "none",
        ),
    ]


def _sounds_like(truth: GroundTruth, family: str) -> set[str]:
    """Families that the lexicon hears in the author's own words for what it does not know."""
    if family != truth.mechanism:
        return set()
    words = (truth.mechanism.replace("-", " "), *truth.mechanism_phrases)
    return {hit.family for phrase in words for hit in all_hits(phrase)}


def _about(reading: Reading, claims: Sequence[Statement], case: Case) -> list[Statement]:
    """The claims, and what else is said firmly about a defect of those whom they blame."""
    blamed = set(_blamed(claims))
    if any(claim.families for claim in claims):
        more = []
    else:
        more = [
            s
            for s in reading.statements
            if s not in claims
            and s.families
            and set(s.blamed) <= blamed
            and s.hedged <= claims[0].hedged
        ]
    own = [s for s in claims if not s.blamed or case.truth.component in s.blamed]
    return [*own, *more]


def _is_right(statement: Statement, truth: GroundTruth, family: str) -> bool:
    if family in statement.families:
        return True
    if family == truth.mechanism:  # the lexicon does not know it
        return says_mechanism(statement.text, truth)
    nouns = [pattern for name, pattern in NOUN_PATTERNS if name in _NOUN_OF.get(family, ())]
    return bool(
        truth.changed.after
        and any(pattern.search(statement.text) for pattern in nouns)
        and _has_after(statement.quote, truth)
    )


def _alternates(statement: Statement) -> bool:
    """Whether a guess offers one kind of defect or another."""
    families = {hit.family for hit in all_hits(statement.quote)}
    return len(families) > 1 and ALTERNATIVES.search(statement.quote) is not None


def _has_after(text: str, truth: GroundTruth) -> bool:
    after = truth.changed.model_copy(update={"before": truth.changed.before or "-"})
    token = gives_detail(text, truth.model_copy(update={"changed": after}))
    return token is not None and token in truth.changed.after.lower()


def _scope(reading: Reading, claims: Sequence[Statement], case: Case) -> list[Answer]:
    truth = case.truth
    extra = _extra(claims, reading, case)
    drawn_in = [n for n in dict.fromkeys(reading.affected) if n not in case.involved()]
    left_out = [n for n in truth.contributing if n not in reading.mentioned]
    denied = NO_IMPACT.search(reading.text) if truth.affected else None
    said = [n for n in reading.affected if n != truth.component]
    strange = bool(said and truth.affected) and not set(said) & case.involved()
    fits = re.search(r"\w", reading.text) is not None and denied is None and not strange
    nobody = not extra and len(drawn_in) <= MAX_UNINVOLVED_VICTIMS
    return [
        Answer(
            "nobody-uninvolved", nobody, f"drawn in: {', '.join([*extra, *drawn_in]) or 'nobody'}"
        ),
        Answer("contributing", not left_out, f"left out: {', '.join(left_out) or 'nobody'}"),
        Answer(
            "impact",
            fits,
            denied[0]
            if denied
            else f"said to suffer: {', '.join(dict.fromkeys(said)) or 'nobody in particular'}",
        ),
    ]
