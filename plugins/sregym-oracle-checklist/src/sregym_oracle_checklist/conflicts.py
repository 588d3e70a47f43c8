"""What in a diagnosis cannot be so if the ground truth is: the other direction, another value, nothing but symptoms."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sregym_oracle_checklist.concepts import JOINT, relations, stems, subjects
from sregym_oracle_checklist.layout import Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_oracle_checklist.blame import AccusedPlaces
    from sregym_oracle_checklist.passages import Clause
    from sregym_oracle_checklist.profile import Profile

_POLES = frozenset({"low", "high"})
# A repair tells the direction of the defect by its own.
_RAISE = re.compile(
    r"\b(?:rais|increas|bump|enlarg|extend|widen|lengthen|loosen|relax|expand)\w*|\bscal(?:e|ing) (?:\S+ ){0,3}(?:up|out)\b",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:lower|reduc|decreas|shorten|shrink|tighten|cut(?:ting)? (?:it|them|down))\w*|\bscal(?:e|ing) (?:\S+ ){0,3}(?:down|in)\b",
    re.IGNORECASE,
)
# What anybody sees of almost any defect.
_SYMPTOM = re.compile(
    r"\b(?:crash\w*|restart\w*|pending|oomkill\w*|time(?:s|d)? ?-?outs?|timing out|errors?|unavailab\w+|unreachable"
    r"|(?:connection|connections) (?:is |are |was |were )?(?:refused|reset)|refus\w+|fail\w*|not ?ready|\d/\d|image ?pull ?back-?off|errimagepull"
    r"|evict\w*|terminat\w+|slow\w*|latency|[45]\d\d|exit(?:s|ed)? ?(?:code )?\d*|red|broken|down|degrad\w+|unhealthy|flap\w*|stuck|hang\w*|gone|bursts?|quiet)\b",
    re.IGNORECASE,
)
_ASSIGNED = (
    r"[`'\"\])]*(?: (?:in|of|on|for) [\w./`'-]+){0,2}[^.;,\n\w]{0,3}"
    r"(?:(?:is|was|has been|got|are)? ?(?:wrongly |now |currently )*(?:set|pointed|changed|pinned)? ?(?:to|at)|points? (?:to|at)|=|:|is|holds|of) ?[`'\"]?"
    r"(?P<value>(?=[\w./:-]*\d)[\w./:-]*\w|on|off|true|false)\b"
)
# What a field was before says of nothing that it is gone.
_WAS_UNSET = re.compile(r"\bwas (?:unset|none|empty|missing|absent)\b", re.IGNORECASE)
_CLEARING = re.compile(
    r"\bneither\b|\b(?:not|n't|never) (?:\w+ )?(?:the |a |to )?(?:\w+ )?(?:cause|culprit|blame|fault|origin|problem|reason)\b|\binnocent\b|\bexonerat\w+|\brul(?:e|ed|es|ing) (?:\S+ ){0,4}out\b",
    re.IGNORECASE,
)
# Words that make sentences; a list of terms has next to none.
_GLUE = re.compile(
    r"\b(?:the|a|an|is|are|was|were|has|have|had|of|to|in|on|at|it|its|this|that|which|so|because|by|and|with|from|not|no|be|been|for|as|but|there|s)\b|->|→|=>",
    re.IGNORECASE,
)
_EVERYBODY = re.compile(
    r"\b(?:all|every|each)(?: of)?(?: the| our)? (?:\w+ )?(?:pods?|services?|components?|deployments?|databases?|workloads?|containers?)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\bboth (?:\w+ )?(?:wrong|broken|bad|misconfigured|missing|incorrect|too)\b", re.IGNORECASE
)
_CREATE = re.compile(r"^\W*(?:please |then |just |so )*(?:re-?)?creat(?:e|ing)\b", re.IGNORECASE)
# What is not there, or does not let in, may be put there.
_MISSES = frozenset({"removed", "denied", "unreachable"})
# So much of the mechanism has to be said apart from symptoms.
_SAYS = 0.3
_LIST_WORDS, _LIST_GLUE, _LIST_SUBJECTS = 14, 0.1, 6


class Conflicts:
    """Holds what is claimed against one ground truth, to find what excludes it.

    Args:
        profile: The ground truth.
        accused: Who is meant by names in texts.
        clauses: The whole text.
    """

    def __init__(self, profile: Profile, accused: AccusedPlaces, clauses: Sequence[Clause]) -> None:
        self._profile = profile
        self._accused = accused
        self._clauses = clauses
        self._claims = [c for c in clauses if not (c.denied or c.asked or c.former)]
        self._told = [
            c
            for c in self._claims
            if c.role != "effect" and c.section is not Section.EFFECT and not c.repair
        ]

    def figures(self) -> Mapping[str, float]:
        """All of them, each 0 or 1."""
        own, other = self._relations()
        return {
            "strange_relation": self._strange_relation(),
            "other_number": float(self._other_number()),
            "repair_opposed": float(self._repair_opposed()),
            "everybody": float(self._everybody()),
            "joined_defects": float(self._joined_defects()),
            "other_object": float(self._other_object()),
            "opposed": float(self._opposed()),
            "other_setting": float(self._other_setting()),
            "not_gone": float(self._not_gone()),
            "symptoms_alone": float(self._symptoms_alone()),
            "relation_own": float(own),
            "relation_other": float(other and not own),
            "word_list": float(self._word_list()),
            "rival_repaired": float(self._rival_repaired()),
            "place_cleared": float(self._place_cleared()),
        }

    @cached_property
    def _about_it(self) -> list[str]:
        """Claims that speak of the defective thing's subject or of its field."""
        profile = self._profile
        names = profile.names | profile.own_names
        return [
            c.text
            for c in self._told
            if subjects(c.text) & profile.core or any(name in c.text.lower() for name in names)
        ]

    @cached_property
    def _of_it(self) -> list[str]:
        """Claims that speak of the defective thing, under whatever name, and of no other component."""
        told: dict[int, list[str]] = {}
        for clause in self._told:
            told.setdefault(clause.sentence, []).append(clause.text)
        sentences = map(JOINT.join, told.values())
        here = [text for text in sentences if self._accused.truth_in(text)]
        return list(dict.fromkeys([*self._about_it, *here]))

    def _strange_relation(self) -> float:
        """The share of what is said to be wrong with the thing that is not so in truth."""
        said = frozenset().union(*(relations(self._profile.without_name(t)) for t in self._of_it))
        return len(said - self._profile.known_relations) / (len(said) + 1)

    def _other_number(self) -> bool:
        """Whether the changed field is told with a number that it neither has nor had."""
        words, own = self._profile.counted, self._profile.numbers
        if not words or not own:
            return False
        message = JOINT.join(c.text for c in self._told)
        field = "|".join(map(re.escape, sorted(words)))
        pattern = rf"(?<![\w.])(\d+)\s+(?:{field})\b|\b(?:{field})\s*(?::|=|is|are|was|to|of|at)?\s*(\d+)(?![\w.])"
        found = {m[1] or m[2] for m in re.finditer(pattern, message, re.IGNORECASE)}
        return bool(found) and not found & own

    def _repair_opposed(self) -> bool:
        """Whether something is to be recreated that in truth is there."""
        if self._profile.known_relations & _MISSES:
            return False
        return any(c.repair and _CREATE.search(c.text) for c in self._claims)

    def _everybody(self) -> bool:
        """Whether the defect of one component is said to be that of all of them."""
        profile = self._profile
        if len(profile.components) > 1 or _EVERYBODY.search(
            JOINT.join([profile.detail, *profile.phrases])
        ):
            return False
        return any(
            _EVERYBODY.search(text) and relations(text) & self._profile.relations
            for text in self._of_it
        )

    def _joined_defects(self) -> bool:
        """Whether something else is said to be wrong, too, in one breath: `both are wrong`."""
        return any(
            _BOTH.search(text) and relations(text) and subjects(text) - self._profile.subjects
            for text in self._of_it
        )

    def _other_object(self) -> bool:
        """Whether another object of the truth's kind is called by its name, and the true one is not."""
        whole = JOINT.join(c.text for c in self._claims)
        name = self._profile.object_name
        return name not in whole.lower() and self._accused.other_object(whole)

    def _relations(self) -> tuple[bool, bool]:
        """Whether the subject is said to be wrong in the truth's way, and whether in another."""
        of_it = [relations(self._profile.without_name(text)) for text in self._of_it]
        said = [relations(self._profile.without_name(text)) for text in self._about_it]
        own = self._profile.relations
        return any(found & own for found in said), any(found and not found & own for found in of_it)

    def _opposed(self) -> bool:
        """Whether too much is told where there is too little, or the other way round."""
        pole = self._profile.pole
        if pole is None or self._profile.after.in_text(JOINT.join(c.text for c in self._claims)):
            return False  # who gives the new value has the direction, in whatever words
        said: set[str] = set()
        for text in self._about_it:
            said |= relations(text) & _POLES
        for clause in self._claims:
            if clause.repair:
                said |= {"low"} if _RAISE.search(clause.text) else set()
                said |= {"high"} if _LOWER.search(clause.text) else set()
        return bool(said) and pole not in said

    def _other_setting(self) -> bool:
        """Whether the changed field is given a value that it has neither now nor had before."""
        fields = sorted(self._profile.settings)
        if not fields or self._profile.truth.changed.after:
            return False  # another value than the true one may still be the right defect
        before, after = self._profile.sides
        message = JOINT.join(c.text for c in self._told)
        pattern = rf"(?<![\w-])(?:{'|'.join(map(re.escape, fields))}){_ASSIGNED}"
        found = [m["value"] for m in re.finditer(pattern, message, re.IGNORECASE)]
        return bool(found) and not any(before(value) or after(value) for value in found)

    def _not_gone(self) -> bool:
        """Whether something is wrong with what is gone in truth, and nothing is said to be gone."""
        change = self._profile.truth.changed
        if change.after or not change.before:
            return False
        whole = JOINT.join(_WAS_UNSET.sub(" ", c.text) for c in self._claims)
        return not {"removed", "denied"} & relations(whole)

    def _symptoms_alone(self) -> bool:
        """Whether a text says no more of the defect than what it looks like from outside."""
        own = stems(JOINT.join(self._profile.phrases))

        def without(text: str) -> str:
            return _SYMPTOM.sub(lambda m: m[0] if stems(m[0]) & own else " ", text)

        left = JOINT.join(without(c.text) for c in self._claims)
        profile = self._profile
        return not (
            profile.says_mechanism(left) >= _SAYS
            or profile.after.in_text(left)
            or profile.before.in_text(left)
            or (profile.detail_stems & stems(left))
            or any(name in left.lower() for name in profile.own_names)
        )

    def _word_list(self) -> bool:
        """Whether many terms stand side by side and make no sentence; names of those who suffer are none."""
        text = self._accused.without_names(" ".join(c.text for c in self._claims))
        words = len(re.findall(r"[A-Za-z][\w'-]*", text))
        if words < _LIST_WORDS or len(_GLUE.findall(text)) > _LIST_GLUE * words:
            return False
        return len(subjects(text)) >= _LIST_SUBJECTS

    def _rival_repaired(self) -> bool:
        """Whether the first that is named, and the first that is repaired, is another component."""
        lead = next((c.text for c in self._claims), "")
        first = self._accused.first_in(lead)
        if first is None or first in self._profile.allowed:
            return False
        repaired = (self._accused.first_in(c.text) for c in self._claims if c.repair)
        return next((name for name in repaired if name is not None), None) == first

    def _place_cleared(self) -> bool:
        """Whether the truth's place is said to be without blame in so many words."""
        place = self._profile.place
        return any(
            c.denied
            and self._accused.truth_in(c.text)
            # `Neither of them is` stands before it, and nothing but the name is left.
            and (_CLEARING.search(c.text) or stems(c.text) <= place)
            for c in self._clauses
        )
