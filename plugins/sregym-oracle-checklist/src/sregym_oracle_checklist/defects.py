"""Defects that a text asserts: what is said to be wrong with what, held against one ground truth."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_oracle_checklist.concepts import relations, stems, subjects
from sregym_oracle_checklist.layout import Section
from sregym_oracle_checklist.removals import claimed_removals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_oracle_checklist.passages import Clause
    from sregym_oracle_checklist.profile import Profile

_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*(?:\[[^\]\s]*\])?)+")
_SEGMENT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[._\[\]-]+")
_FIELD = re.compile(
    r"\b(?:spec|data|metadata|containers|initContainers|jobTemplate|rules|webhooks)\b(?:\[[^\]\n]*\])?(?:\.[A-Za-z_][\w-]*(?:\[[^\]\n]*\])?)*",
)
_ENOUGH = 2


def _last(path: str) -> str:
    """The last segment of a field's path, in brackets or after a dot."""
    return re.split(r"[.\[]", path)[-1].strip("]'\"")


class Defects:
    """Counts what is asserted to be wrong, clause by clause.

    Args:
        profile: The ground truth.
        claims: What the author holds to be so.
    """

    def __init__(self, profile: Profile, claims: Sequence[Clause]) -> None:
        self._profile = profile
        self._told = [c for c in claims if c.section is not Section.EFFECT]
        self._text = " . ".join(c.text for c in claims)

    def figures(self) -> Mapping[str, float]:
        """Own and rival defects, fields of the truth and their siblings, parts of a compound."""
        own = rival = 0
        for clause in self._told:
            about, wrong = subjects(clause.text), relations(clause.text)
            if not about or not wrong:
                continue
            if about & self._profile.core:
                own += 1
            elif clause.role != "effect" and about - self._profile.subjects:
                rival += 1
        return {
            "own_defect": min(_ENOUGH, own) / _ENOUGH,
            "rival_defect": min(_ENOUGH, rival) / _ENOUGH,
            **self._repairs(),
            "field": self._field(),
            "sibling": float(self._sibling()),
            "other_field": float(self._other_field()),
            "removed_other": float(self._removed_other()),
        }

    def _field(self) -> float:
        """The share of the changed field's own words, from its last segment on."""
        what = self._profile.truth.changed.what
        paths = _PATH.findall(what)
        last = (paths[-1] if paths else what).rpartition(".")[2]
        words = stems(" ".join(_SEGMENT.split(last))) - self._profile.place
        return len(words & stems(self._text)) / len(words) if words else 0.0

    def _sibling(self) -> bool:
        """Whether a field is named that stands beside the changed one: `spec.tikv.x` for `spec.pd.x`."""
        own = [path.lower().split(".") for path in _PATH.findall(self._profile.truth.changed.what)]
        told = [path.lower().split(".") for path in _PATH.findall(self._text)]
        beside = [
            path
            for path in told
            for true in own
            if len(path) == len(true) > _ENOUGH
            and path[0] == true[0]
            and path[-1] == true[-1]
            and sum(a != b for a, b in zip(path, true, strict=True)) == 1
        ]
        return bool(beside) and not any(path == true for path in told for true in own)

    def _other_field(self) -> bool:
        """Whether fields of objects are named, and none of them is the changed one or a part of it."""
        own = [path.lower() for path in _FIELD.findall(self._profile.truth.changed.what)]
        changed = self._profile.detail.lower()
        told = [
            path
            for found in _FIELD.findall(self._text)
            if _last(path := found.lower().rstrip(".")) not in changed
        ]
        return bool(own and told) and not any(
            path.startswith(true) or true.startswith(path) or _last(path) == _last(true)
            for path in told
            for true in own
        )

    def _removed_other(self) -> bool:
        """Whether only things are said to be gone whose absence is not the defect."""
        told = [claimed_removals(c.text) for c in self._told if c.role != "effect"]
        said = frozenset().union(*told)
        return bool(said) and not said & self._profile.gone

    def _repairs(self) -> Mapping[str, float]:
        """What is to be done about it: the inverse of the change, its subject, or another one's."""
        repairs = [c.text for c in self._told if c.repair]
        about = frozenset().union(*map(subjects, repairs))
        return {
            "repair_value": float(any(map(self._profile.before.in_text, repairs))),
            "repair_own": float(bool(about & self._profile.core)),
            "repair_strange": len(about - self._profile.subjects) / (len(about) + 1),
        }
