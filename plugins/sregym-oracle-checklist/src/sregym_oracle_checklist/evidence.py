"""What in a diagnosis speaks for and against a ground truth: figures from 0 to 1, each with a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_oracle_checklist.blame import AccusedPlaces
from sregym_oracle_checklist.concepts import JOINT, relations, stems, subjects
from sregym_oracle_checklist.conflicts import Conflicts
from sregym_oracle_checklist.defects import Defects
from sregym_oracle_checklist.enumerations import Enumerations, lists_defects
from sregym_oracle_checklist.hypotheses import ranked, tied
from sregym_oracle_checklist.layout import MAX_CHARS, Section
from sregym_oracle_checklist.passages import Clause, read
from sregym_oracle_checklist.retractions import mixed_languages, retracted, visible_text
from sregym_oracle_checklist.stance import LIKELY, UNDECIDED, UNSURE
from sregym_oracle_checklist.support import Support
from sregym_oracles import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_oracle_checklist.naming import Names
    from sregym_oracle_checklist.passages import Reading
    from sregym_oracle_checklist.profile import Profile

LONG, SHORT = 1500, 230
MANY_COMMAS = 12
_NUMBERS = {2: "two|both", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
_ALL_OF = re.compile(
    r"\b(?:all|every|each)(?: of)?(?: the| its| our)? (?:\w+ )?(?:\w*-\*|\w+-\* |deployments?|databases?|stores?|instances?|components?|services?|ones?|mongo\w*|pods)\b|\w-\*",
    re.IGNORECASE,
)
_SLASHES = re.compile(r"\s/\s|\bor\b")
_SECOND_CAUSE = re.compile(
    r"\b(?:second|another|further|additional|other) (?:\w+ ){0,3}?(?:root )?cause\b"
    r"|\b(?:two|three|four|five|six|several|multiple|[2-6]) (?:equal |independent |separate |distinct )?root[- ]causes\b"
    r"|\b(?:all|both|these|those|other|each)(?: \w+){0,4} (?:are|is) (?:also )?(?:the |a )?root[- ]causes?\b",
    re.IGNORECASE,
)
# What a thing was and is; where no other is named it is told of the truth's place.
_STATES = re.compile(r"\bwas\b[^.;]{1,160}\b(?:and|but) is\b", re.IGNORECASE)
_OTHER_LANGUAGE = re.compile(
    r"\b(?:und|der|die|das|ist|nicht|el|la|los|que|les|est|des|pour|het|een|och|il|di|per|не|на|jest|nie|bir|ve)\b"
)

# Figures, any of which says that another place or another defect is held to be the cause.
_RIVALS = (
    "explicit_rival", "explicit_begins_rival", "repair_rival", "outsiders", "lead_rival", "blame_rival", "last_rival",
    "rival_alone", "faulted", "elsewhere", "uninvolved", "rival_defect", "repair_strange",
    "removed_other",
)  # fmt: skip


def _weight(clause: Clause) -> float:
    """How much a clause says about the cause, by its place and role."""
    weight = 1.0
    if clause.section is Section.EFFECT:
        weight *= 0.2
    if clause.section is Section.EVIDENCE:
        weight *= 0.5
    if clause.role == "effect" and not clause.explicit:
        weight *= 0.6
    if clause.role == "cause":
        weight *= 1.8
    if clause.explicit:
        weight *= 2.5
    return weight * (1.8 if clause.repair else 1.0)


def _sentences(clauses: Sequence[Clause]) -> list[str]:
    found: dict[int, list[str]] = {}
    for clause in clauses:
        found.setdefault(clause.sentence, []).append(clause.text)
    return [" ".join(parts) for parts in found.values()]


def _strange(text: str, profile: Profile) -> float:
    """The share of subjects in a text that are not the incident's."""
    about = subjects(text)
    return len(about - profile.subjects) / (len(about) + 1)


def _joined(clauses: Sequence[Clause]) -> str:
    return JOINT.join(clause.text for clause in clauses)


def other_language(text: str) -> bool:
    """Whether a text is not written in English, as far as its letters and small words tell."""
    foreign = len(re.findall(r"[^\x00-\x7f]", text)) / max(1, len(text))
    small = len(_OTHER_LANGUAGE.findall(text.lower())) / max(1, len(text.split()))
    return foreign > 0.15 or small > 0.12


def cut(text: str) -> str:
    """A bounded part of a text: both ends, since reports put the conclusion first or last."""
    if len(text) <= MAX_CHARS:
        return text
    return f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"


class Evidence:
    """One text held against one ground truth.

    Args:
        text: As submitted.
        profile: The ground truth.
        names: Components of the application.

    Attributes:
        figures: By name, 0 to 1.
        reading: The preferred explanation, as clauses.
        several: Whether the problem has further root causes.
        content: How many different words with a content are claimed.
    """

    def __init__(self, text: str, profile: Profile, names: Names) -> None:
        text = visible_text(plain(cut(text)))
        self._text = text
        self.several = bool(profile.others)
        self._profile = profile
        self._names = names
        self._accused = AccusedPlaces(profile, names)
        preferred, others = ranked(text)
        self.reading: Reading = read(
            preferred,
            names.lower(),
            (
                *profile.phrases,
                profile.truth.changed.after.lower(),
                profile.truth.changed.before.lower(),
            ),
        )
        self._others = read(others, names.lower()) if others else None
        self._claims = self.reading.claims
        self.claimed = _joined(self._claims)
        self.content = len(stems(self.claimed))
        explicit = [c for c in self._claims if c.explicit and c.role != "effect"]
        repair = [c for c in self._claims if c.repair]
        causes = [c for c in self._claims if c.role == "cause"]
        self._explicit, self._repair = _sentences(explicit), _sentences(repair)
        self.conclusion = JOINT.join([*self._explicit, *self._repair, *(c.text for c in causes)])
        figures = {
            **self._places(), **self._blame(), **self._mechanism(), **self._subjects(),
            **self._denials(), **self._ranking(), **self._style(),
            **Defects(profile, self._claims).figures(),
            **Conflicts(profile, self._accused, self.reading.clauses).figures(),
            **Enumerations(profile, names, self.reading.clauses).figures(),
        }  # fmt: skip
        figures |= Support(profile, self._claims).figures(figures)
        rivalled = any(figures[name] for name in _RIVALS)
        self.figures: Mapping[str, float] = {**figures, "unrivalled": float(not rivalled)}

    def _places(self) -> dict[str, float]:
        """Where the truth's place is named, and where others are."""
        accused, claims = self._accused, self._claims
        truth_in, rivals_in, allowed = accused.truth_in, accused.rivals_in, self._profile.allowed

        def strange(text: str) -> bool:
            return bool(rivals_in(text) or accused.outsiders_in(text)) and not truth_in(text)

        def begins_strange(text: str) -> bool:
            first = accused.first_in(text)
            return first is not None and first not in allowed

        mine = sum(_weight(c) for c in claims if truth_in(c.text))
        others = sum(
            _weight(c) * (0.5 if c.role == "effect" else 1.0)
            for c in claims
            if rivals_in(c.text) and not truth_in(c.text)
        )
        lead = claims[0].text if claims else ""
        said = [c.text for c in claims]
        outsiders = set(accused.outsiders_in(self.conclusion))
        accusing = self._accusing()
        return {
            "explicit_truth": float(any(map(truth_in, self._explicit))),
            "explicit_rival": float(any(map(strange, accusing))),
            "explicit_begins_rival": float(any(map(begins_strange, accusing))),
            "explicit_none": float(not self._explicit),
            "repair_truth": float(any(map(truth_in, self._repair))),
            "repair_rival": float(any(map(self._repairs_rival, self._repair))),
            "repair_none": float(not self._repair),
            "share": mine / (mine + others) if mine + others else 0.3,
            "named": float(self._named()),
            "outsiders": min(2, len(outsiders)) / 2,
            "lead_truth": float(truth_in(lead)),
            "lead_rival": float(begins_strange(lead) and not truth_in(lead)),
            "lead_outsider": float(bool(accused.uninvolved_in(lead)) and not truth_in(lead)),
            "covered": self._covered(),
            "elsewhere": float(not self._named() and any(map(accused.uninvolved_in, said))),
        }

    def _accusing(self) -> list[str]:
        """Explicit sentences, without what follows the true cause and tells who suffers from it."""
        accused, affected = self._accused, self._profile.affected
        told, known = [], False
        for sentence in self._explicit:
            rivals = set(accused.rivals_in(sentence))
            if known and rivals and rivals <= affected and not accused.verdicts(sentence):
                continue
            told.append(sentence)
            known = known or accused.truth_in(sentence)
        return told

    def _named(self) -> bool:
        several = len(self._profile.components) > 1 and _ALL_OF.search(self.claimed)
        return bool(several) or any(self._accused.truth_in(c.text) for c in self._claims)

    def _repairs_rival(self, text: str) -> bool:
        """Whether a repair is one of another place; to restart who suffered is none."""
        accused, own = self._accused, self._profile.core
        if accused.truth_in(text) or subjects(text) & own:
            return False
        return bool(accused.rivals_in(text) or accused.outsiders_in(text))

    def _covered(self) -> float:
        """The share of the truth's components that is named, where there are several."""
        components = self._profile.components
        if self._profile.parts:
            told = [part.told_in(self.claimed) for part in self._profile.parts]
            return sum(told) / len(told)
        if len(components) == 1 or _ALL_OF.search(self.claimed):
            return 1.0
        number = rf"\b(?:{_NUMBERS.get(len(components), 'all')}|{len(components)})\b"
        if re.search(number, self.claimed, re.IGNORECASE):
            return 1.0
        named = {m.component for m in self._names.find(self.claimed)} & set(components)
        return len(named) / len(components)

    def _blame(self) -> dict[str, float]:
        accused = self._accused
        verdicts = [v for text in _sentences(self._claims) for v in accused.verdicts(text)]
        right = sum(verdicts)
        told = [c for c in self._claims if c.role != "effect" and c.section is not Section.EFFECT]
        sentences = _sentences(told)
        faulted = sum(map(accused.faulted, sentences))
        return {
            "blame_truth": min(2, right) / 2,
            "blame_rival": min(2, len(verdicts) - right) / 2,
            "last_truth": float(bool(verdicts) and verdicts[-1]),
            "last_rival": float(bool(verdicts) and not verdicts[-1]),
            "rival_alone": float(right < len(verdicts) and not self._named()),
            "faulted": min(1.0, faulted / 2),
            "besides": float(any(map(accused.besides, sentences))),
            "accused_besides": float(any(map(accused.accused_besides, sentences))),
            "uninvolved": min(3, len({n for t in sentences for n in accused.uninvolved_in(t)})) / 3,
            "uninvolved_repaired": float(
                any(accused.uninvolved_in(c.text) for c in self._claims if c.repair)
            ),
        }

    def _mechanism(self) -> dict[str, float]:
        says, claims, profile = self._profile.says_mechanism, self._claims, self._profile
        share = says(self.claimed)
        details = profile.detail_stems
        half = len(claims) // 2
        placed = [t for t in _sentences(claims) if self._accused.truth_in(t)]
        whole = self.reading.sentences
        told = [whole[n] for n in dict.fromkeys(c.sentence for c in claims if not c.repair)]
        gain = says(_joined(claims[half:])) - says(_joined(claims[:half])) if half else 0.0
        return {
            "mechanism": share,
            "mechanism_firm": says(_joined([c for c in claims if not c.hedged])),
            "mechanism_conclusion": says(self.conclusion) if self.conclusion else share * 0.6,
            "mechanism_sentence": max(map(says, _sentences(claims)), default=0.0),
            "mechanism_later": gain,
            "mechanism_placed": max(map(says, placed), default=0.0),
            "reversed": float(any(map(profile.reversed_in, told))),
            "other_value": float(any(map(profile.other_value_in, told))),
            "other_change": float(
                any(
                    profile.other_change_in(t)
                    and (
                        self._accused.truth_in(t)
                        or (_STATES.search(t) is not None and not self._accused.rivals_in(t))
                    )
                    for t in told
                )
            ),
            "value_placed": float(any(map(profile.after.in_text, placed))),
            "strange_placed": min((_strange(t, profile) for t in placed), default=1.0),
            "after": float(profile.after.in_text(self.claimed)),
            "before": float(profile.before.in_text(self.claimed)),
            "after_none": float(not profile.after),
            "detail": len(details & stems(self.claimed)) / len(details) if details else 0.0,
            "own_words": float(any(map(self._own_words, self._explicit))),
            "impact_only": float(stems(self.claimed) <= profile.impact_stems),
            "relation": float(
                bool(profile.relations & relations(_joined([c for c in claims if not c.repair])))
            ),
        }

    def _own_words(self, sentence: str) -> bool:
        """Whether a sentence gives the truth's place as the cause, in its author's words."""
        accused = self._accused
        strange = accused.uninvolved_in(sentence) or accused.outsiders_in(sentence)
        said = self._profile.says_own_words(sentence) and not lists_defects(
            [sentence], self._profile
        )
        return said and not strange and accused.truth_in(sentence)

    def _subjects(self) -> dict[str, float]:
        """Which kinds of things the text speaks of beside those of the incident."""
        profile = self._profile
        figures = {}
        for name, text in (("conclusion", self.conclusion), ("all", self.claimed)):
            about = subjects(text)
            figures[f"strange_{name}"] = len(about - profile.subjects) / (len(about) + 1)
            own = (about & profile.core) - profile.place_subjects
            figures[f"own_{name}"] = len(own) / (len(about) + 1)
        words, all_words = stems(self.conclusion), stems(self.claimed)
        vocabulary = profile.vocabulary
        impact = stems(profile.truth.impact)
        figures["aligned_conclusion"] = len(words & (vocabulary | impact)) / (len(words) + 3)
        figures["aligned_all"] = len(all_words & vocabulary) / (len(all_words) + 5)
        return figures

    def _denials(self) -> dict[str, float]:
        denied = [c for c in self.reading.clauses if c.denied or c.former]
        accused, profile = self._accused, self._profile
        return {
            "truth_denied": float(any(accused.truth_in(c.text) for c in denied)),
            "rival_denied": float(any(accused.rivals_in(c.text) for c in denied)),
            "mechanism_denied": max(map(profile.says_mechanism, _sentences(denied)), default=0.0),
            "after_denied": float(profile.after.in_text(_joined(denied))),
        }

    def _ranking(self) -> dict[str, float]:
        others = self._others.claims if self._others else []
        said = self._profile.says_mechanism(_joined(others)) if others else 0.0
        here = self._profile.says_mechanism(self.claimed)
        return {
            "ranked": float(self._others is not None),
            "other_mechanism": said,
            "other_gain": max(0.0, said - here),
            "other_truth": float(any(self._accused.truth_in(c.text) for c in others)),
        }

    def _alternatives(self, clause: Clause) -> bool:
        """Whether a clause offers several defects of one thing: `role revoked / user dropped`."""
        if clause.repair:  # several ways to repair one defect
            return False
        parts = _SLASHES.split(clause.text)
        return sum(bool(relations(part) and subjects(part)) for part in parts) > 1

    def _second_cause(self) -> bool:
        """Whether a further root cause is claimed where there is none."""
        return not self._profile.others and any(_SECOND_CAUSE.search(c.text) for c in self._claims)

    def _style(self) -> dict[str, float]:
        text, claims = self._text, self._claims
        commas = max((c.text.count(",") for c in claims), default=0)
        causes = [c for c in claims if c.role == "cause"]
        return {
            "unsure": min(3, len(UNSURE.findall(text))) / 3,
            "undecided": float(UNDECIDED.search(text) is not None or tied(text)),
            "defects_listed": float(lists_defects(_sentences(claims), self._profile)),
            "alternatives": float(any(map(self._alternatives, claims)) or self._second_cause()),
            "likely": float(LIKELY.search(text) is not None),
            "listing": min(1.0, commas / MANY_COMMAS),
            "length": min(1.0, len(text) / LONG),
            "short": float(len(text) < SHORT),
            "no_conclusion": float(not (self._explicit or self._repair or causes)),
            "other_language": float(other_language(text)),
            "retracted": float(retracted(text)),
            "mixed_languages": float(not other_language(text) and mixed_languages(text)),
        }
