"""How well a judge agrees with labels: Cohen's kappa, and where it is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Half the width of a normal 95 % interval, in standard errors.
_Z = 1.959964


@dataclass
class Tally:
    """Counts over some diagnoses.

    Attributes:
        right_passes: Judged and labelled as passing.
        right_fails: Judged and labelled as failing.
        false_passes: Judged as passing, labelled as failing.
        false_fails: Judged as failing, labelled as passing.
        undecided: Not decided by the judge, whatever the label.
    """

    right_passes: int = 0
    right_fails: int = 0
    false_passes: int = 0
    false_fails: int = 0
    undecided: int = 0

    def add(self, judged: bool | None, labelled: bool) -> None:
        """Count one more."""
        if judged is None:
            self.undecided += 1
        elif judged:
            self.right_passes += labelled
            self.false_passes += not labelled
        else:
            self.right_fails += not labelled
            self.false_fails += labelled

    @property
    def decided(self) -> int:
        """Those that the judge decided."""
        return self.right_passes + self.right_fails + self.false_passes + self.false_fails

    @property
    def total(self) -> int:
        """All."""
        return self.decided + self.undecided

    def kappa(self) -> tuple[float, float, float] | None:
        """Cohen's kappa over decided ones with the ends of its 95 % interval.

        None where nothing is decided, or where judge and labels both know one answer only.
        """
        n = self.decided
        if not n:
            return None
        agree = (self.right_passes + self.right_fails) / n
        judged = (self.right_passes + self.false_passes) / n
        labelled = (self.right_passes + self.false_fails) / n
        chance = judged * labelled + (1 - judged) * (1 - labelled)
        if chance >= 1:
            return None
        kappa = (agree - chance) / (1 - chance)
        error = math.sqrt(agree * (1 - agree) / n) / (1 - chance)
        return kappa, max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error)

    def as_json(self) -> dict[str, Any]:
        """For programs; kappa is null where there is none."""
        kappa = self.kappa()
        return {
            "total": self.total,
            "decided": self.decided,
            "undecided": self.undecided,
            "agreement": round((self.right_passes + self.right_fails) / self.decided, 4)
            if self.decided
            else None,
            "kappa": None if kappa is None else round(kappa[0], 4),
            "kappa_interval": None if kappa is None else [round(end, 4) for end in kappa[1:]],
            "false_passes": self.false_passes,
            "false_fails": self.false_fails,
        }


@dataclass(frozen=True)
class JudgedDiagnosis:
    """One diagnosis with what the judge and the label say."""

    style: str
    application: str
    judged: bool | None
    labelled: bool


@dataclass
class Agreement:
    """Counts over all labelled diagnoses, and by style and application."""

    whole: Tally = field(default_factory=Tally)
    styles: dict[str, Tally] = field(default_factory=dict)
    applications: dict[str, Tally] = field(default_factory=dict)

    @classmethod
    def of(cls, judged: Iterable[JudgedDiagnosis]) -> Agreement:
        """Count."""
        found = cls()
        for one in judged:
            for tally in (
                found.whole,
                found.styles.setdefault(one.style, Tally()),
                found.applications.setdefault(one.application, Tally()),
            ):
                tally.add(one.judged, one.labelled)
        return found

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            **self.whole.as_json(),
            "styles": {name: self.styles[name].as_json() for name in sorted(self.styles)},
            "applications": {
                name: self.applications[name].as_json() for name in sorted(self.applications)
            },
        }

    def rows(self) -> Sequence[tuple[str, Tally]]:
        """Tables by style and then by application."""
        return [
            *((f"style {name}", self.styles[name]) for name in sorted(self.styles) if name),
            *(
                (f"application {name}", self.applications[name])
                for name in sorted(self.applications)
                if name
            ),
        ]
