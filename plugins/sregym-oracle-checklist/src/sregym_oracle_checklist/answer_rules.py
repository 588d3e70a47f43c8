"""Rules that derive the nine answers on a text: yes, no, or none where the evidence does not decide."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_oracle_checklist.evidence import Evidence
from sregym_oracle_checklist.profile import Profile
from sregym_oracle_checklist.scoring import fitted
from sregym_oracle_checklist.stance import NO_IMPACT
from sregym_oracles import CHECKLIST, Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.model import GroundTruth

    from sregym_oracle_checklist.naming import Names
    from sregym_oracle_checklist.scoring import Weights

# A diagnosis of several like components that names fewer is of another incident.
MOST_OF_THEM = 0.6
# Others are blamed or drawn in, or the author has not decided: no pass, whatever the rest says.
DOUBTFUL = (
    "accused_besides", "undecided", "last_rival", "alternatives", "defects_listed", "faulted", "sibling",
    "removed_other", "reversed", "other_field", "opposed", "other_setting", "not_gone", "rival_repaired", "place_cleared",
    "other_name", "other_number", "repair_opposed", "value_alone", "repair_setting",
    "everybody", "joined_defects", "other_object", "retracted", "mixed_languages", "enumerated",
)  # fmt: skip
# What does not follow from the words of the truth's author, where a text has them.
AGAINST_OWN_WORDS = (
    *(
        name
        for name in DOUBTFUL
        if name not in ("opposed", "not_gone", "other_field", "other_name")
    ),
    "other_value",
)
# A text that tells the true defect and blames another component besides is not failed unless it is this unlikely.
RULED_OUT = 0.1
# From here on what a text says of the defect in other words is enough.
SURE = 0.7
# Neither the relation nor the new value is there, and another relation is: all else has to speak for it.
SURE_ALONE = 0.78
# One that speaks of no other place and no other defect, or a short one that blames no other component, in words that
# are not understood, unless it is this unlikely.
UNLIKELY, BRIEF = 0.22, 0.22
SAYS_SOMETHING, SAYS_MORE, SAYS_MUCH, SAYS_MOST = 0.3, 0.4, 0.5, 0.75
# A text of so few words with content that has none of the true defect says that something is wrong.
FEW_WORDS = 10
DETAIL_ENOUGH = 0.5
# Who speaks of the uninvolved, and of the true place in so small a part, names everybody.
ONE_OF_MANY = 0.1
# So many subjects in one list without a sentence make a list of words and no diagnosis.
WORD_LIST, MOSTLY_STRANGE = 1.0, 0.5


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
        return self.profile().allowed

    def profile(self) -> Profile:
        """What a text on the truth has to speak of."""
        return _profile(self.truth, self.others)

    def involved(self) -> frozenset[str]:
        """Components that have any part in the incident; load generators are always among them."""
        load = [name for name, kind in self.names.kinds.items() if kind == "load"]
        ground_truths = (self.truth, *self.others)
        return self.allowed() | {name for t in ground_truths for name in t.affected} | set(load)


@lru_cache(maxsize=64)
def _profile(truth: GroundTruth, others: tuple[GroundTruth, ...]) -> Profile:
    """Made once for all texts that are held against a truth; what it works out it keeps."""
    return Profile(truth, others)


def answers_from_text(text: str, case: Case) -> list[Answer]:
    """Answers to all nine questions, each with the figures that decided it."""
    profile = case.profile()
    evidence = Evidence(text, profile, case.names)
    if not evidence.claimed.strip():
        why = "the text claims no cause" if evidence.reading.text.strip() else "the text is empty"
        return [Answer(q.id, False, why) for d in CHECKLIST for q in d.questions]
    figures = evidence.figures
    models = fitted()
    origin, mechanism = (models[asked].answer(figures) for asked in ("origin", "mechanism"))
    diagnosis = bounded(models["diagnosis"], evidence)
    odds = {asked: models[asked].likelihood(figures) for asked in ("origin", "mechanism")}
    origin, mechanism = _agreed(diagnosis, origin, mechanism, odds)
    strangers = bool(figures["accused_besides"] or figures["last_rival"])
    alone = origin is not False and not strangers if origin is not None or strangers else None
    given = bool(figures["after"] or figures["before"]) or (
        bool(figures["after_none"]) and figures["detail"] >= DETAIL_ENOUGH
    )
    place = f"named as the place: likely {odds['origin']:.2f}; {_told(evidence)}"
    kind = f"said to be wrong there: likely {odds['mechanism']:.2f}"
    missing = sorted(
        name for name in profile.truth.contributing if name not in profile.components
        and not any(m.component == name for m in case.names.find(evidence.reading.text))
    )  # fmt: skip
    unnoticed = not profile.truth.affected or NO_IMPACT.search(profile.truth.impact)
    denied = None if unnoticed else NO_IMPACT.search(text)
    return [
        Answer("component", origin, place),
        Answer("origin", origin, place),
        Answer("no-healthy-blamed", alone, "others are blamed, too" if strangers else place),
        Answer("mechanism", mechanism, kind),
        Answer("detail", given and mechanism is not False, "a changed value" if given else "no changed value"),
        Answer("no-wrong-mechanism", mechanism, kind),
        Answer("nobody-uninvolved", alone, "others are blamed, too" if strangers else place),
        Answer("contributing", not missing, f"left out: {', '.join(missing) or 'nobody'}"),
        Answer("impact", denied is None, denied[0] if denied else "nothing against it"),
    ]  # fmt: skip


def _told(evidence: Evidence) -> str:
    return evidence.conclusion or evidence.claimed


def bounded(weights: Weights, evidence: Evidence) -> bool | None:
    """The answer on the whole, where single figures leave no room for it."""
    figures = evidence.figures
    diagnosis = weights.answer(figures)
    words_alone = figures["listing"] >= WORD_LIST and figures["strange_all"] > MOSTLY_STRANGE
    # A text with the true cause in its author's words may list many components that suffer from it.
    words_alone = (words_alone and not figures["own_words"]) or bool(figures["word_list"])
    if figures["covered"] < MOST_OF_THEM or words_alone or figures["elsewhere"]:
        return False
    if figures["enumerated_many"]:
        return False
    if figures["uninvolved"] >= 1 and figures["share"] < ONE_OF_MANY:
        return False
    read = about(figures) or figures["other_language"] or figures["own_words"]
    if evidence.content < FEW_WORDS and not (figures["named"] and read):
        return False
    unknown = bool(figures["other_language"]) and not (figures["after"] or figures["before"])
    supposed = figures["mechanism"] - figures["mechanism_firm"] >= SAYS_SOMETHING
    taken_back = figures["truth_denied"] and figures["mechanism_denied"] >= max(
        SAYS_MOST, figures["mechanism"]
    )
    doubtful = supposed or taken_back or any(figures[name] for name in DOUBTFUL)
    against = supposed or taken_back or any(figures[name] for name in AGAINST_OWN_WORDS)
    if figures["own_words"] and not figures["unsure"] and not against and figures["covered"] == 1:
        return True if figures["named"] else None
    if diagnosis is None and both_values(figures) and not (doubtful or unknown):
        return True
    if diagnosis and (unknown or doubtful or figures["covered"] < 1 or not figures["named"]):
        return None
    concrete = ("relation", "after", "before", "detail", "own_defect")
    if diagnosis and evidence.content < FEW_WORDS and not any(figures[n] for n in concrete):
        return None
    valued = figures["after"] or figures["before"]
    if diagnosis and (figures["other_value"] or (figures["other_change"] and not valued)):
        return None
    if diagnosis and (figures["impact_only"] or (figures["symptoms_alone"] and not valued)):
        return None
    if diagnosis and weights.likelihood(figures) < SURE and not describes_defect(figures):
        return None
    sure = SURE_ALONE if figures["relation_other"] else SURE
    if diagnosis and figures["unsupported"] and weights.likelihood(figures) < sure:
        return None
    if denied_itself(figures):
        return False
    if diagnosis is False and other_defect(figures):
        return False
    likelihood = weights.likelihood(figures)
    if diagnosis is False and likelihood > RULED_OUT and blames_others_too(figures):
        return None
    unheard = barely_said(figures) or (not evidence.several and open_still(figures))
    if diagnosis is False and likelihood > UNLIKELY and unheard:
        return None
    return None if unknown and figures["named"] and diagnosis is False else diagnosis


def describes_defect(figures: Mapping[str, float]) -> bool:
    """Whether a text has enough of the true defect to pass: its words, its field or its values."""
    parts = ("detail", "field", "own_all")
    said = max(figures["mechanism_firm"], figures["mechanism"])
    return bool(
        said >= SAYS_MORE
        or figures["after"]
        or figures["before"]
        or any(figures[name] >= SAYS_MUCH for name in parts)
    )


def both_values(figures: Mapping[str, float]) -> bool:
    """Whether a text says what the field was and is, at the truth's place, and nothing against it."""
    return bool(
        figures["after"]
        and figures["before"]
        and figures["named"]
        and figures["unrivalled"]
        and figures["covered"] == 1
        and figures["mechanism_firm"] >= SAYS_MUCH
        and not figures["unsure"]
        and not figures["other_value"]
    )


def blames_others_too(figures: Mapping[str, float]) -> bool:
    """Whether a text tells the true defect at its place, and blames another component besides, and how much that weighs."""
    told = figures["value_placed"] or figures["mechanism_placed"] >= SAYS_MUCH
    return bool(
        figures["accused_besides"]
        and figures["blame_truth"] + figures["named"] > 0
        and told
        and not figures["alternatives"]  # it gives a second root cause in so many words
        and not figures["truth_denied"]
        and not figures["mechanism_denied"]
    )


def denied_itself(figures: Mapping[str, float]) -> bool:
    """Whether a text clears the truth's place of the true defect, and says less of it otherwise."""
    return bool(figures["truth_denied"]) and figures["mechanism_denied"] > figures["mechanism"]


def other_defect(figures: Mapping[str, float]) -> bool:
    """Whether a text says that something else is wrong with the thing, and nothing of what is."""
    said = figures["mechanism"] >= SAYS_MUCH
    return bool(figures["unsupported"] and figures["relation_other"] and not said)


def about(figures: Mapping[str, float]) -> bool:
    """Whether a text says anything of the true defect, in its own words or by what is meant."""
    said = ("mechanism_firm", "field", "detail", "after", "before")
    return figures["own_all"] > 0 or any(figures[name] >= SAYS_SOMETHING for name in said)


def open_still(figures: Mapping[str, float]) -> bool:
    """Whether a text speaks of the truth's place and thing, and of nothing against them, in words not understood."""
    placed = figures["named"] or figures["mechanism"] >= SAYS_MUCH
    cleared = figures["truth_denied"] or figures["mechanism_denied"] >= SAYS_MUCH
    return bool(
        figures["unrivalled"]
        and figures["covered"] == 1
        and about(figures)
        and placed
        and not cleared
    )


def barely_said(figures: Mapping[str, float]) -> bool:
    """Whether a short text says a little of the true defect, blames no other component and repairs nothing else.

    Free words for a defect are not told from another defect then.
    """
    elsewhere = (
        "uninvolved", "explicit_rival", "explicit_begins_rival", "repair_rival", "blame_rival", "repair_strange",
        "unsure", "undecided", "other_truth", "outsiders", "truth_denied",
    )  # fmt: skip
    little = figures["mechanism_firm"] or figures["detail"] or figures["own_all"]
    brief = figures["length"] < BRIEF and not figures["word_list"]
    return bool(brief and little and not any(figures[name] for name in elsewhere))


def _agreed(
    diagnosis: bool | None, origin: bool | None, mechanism: bool | None, odds: dict[str, float]
) -> tuple[bool | None, bool | None]:
    """Origin and mechanism as the diagnosis as a whole has it: that is decided best."""
    if diagnosis:
        return True, True
    weaker_origin = odds["origin"] <= odds["mechanism"]
    if diagnosis is False:
        if origin is False or mechanism is False:
            return origin, mechanism
        return (False, mechanism) if weaker_origin else (origin, False)
    if origin is None or mechanism is None:
        return (None if origin is False else origin), (None if mechanism is False else mechanism)
    return (None, mechanism or None) if weaker_origin else (origin or None, None)
