"""What a proof finds: single checks, and all of one problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sregym_core.conductor import grading

# What an injection comes to that has no effect.
_SOFT = (grading.UNNOTICED, grading.NO_DEFECT, grading.NO_HOLD)


@dataclass(frozen=True)
class ProofCheck:
    """One thing that was proved or not.

    Attributes:
        name: `healthy-passes`, `cheat-scale-to-zero` ...
        expected: What had to come out.
        got: What came out.
        ok: Whether it is the same.
        detail: Why it came out.
        said: The diagnosis that was judged, where one was.
    """

    name: str
    expected: str
    got: str
    ok: bool
    detail: str = ""
    said: str = ""


@dataclass(frozen=True)
class Proof:
    """All checks of one problem; `proved` when there is none that is not ok."""

    problem: str
    checks: tuple[ProofCheck, ...]
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether every check came out as it had to."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    @property
    def softened(self) -> str:
        """Why the fault hurts no user here; empty where it does, or where that is not known.

        It was injected as it should, and the application goes on without what it broke.
        """
        for check in self.checks:
            if check.name == "noop-fails" and any(word in check.detail for word in _SOFT):
                return check.detail
        return ""

    def as_json(self) -> dict[str, Any]:
        """The form that `sregym verify --json` prints."""
        return {
            "id": self.problem,
            "proved": self.proved,
            "seconds": self.seconds,
            "checks": [vars(check) for check in self.checks],
        }
