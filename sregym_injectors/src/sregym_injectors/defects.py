"""The answer of `Fault.present`: a check built from the defects that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import Check, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECK_NAME = "defect-gone"


def defect_check(expected: str, defects: Sequence[str]) -> Check:
    """A check named `defect-gone` that passes when no defect was found."""
    return Check(
        name=CHECK_NAME,
        outcome=Outcome.FAIL if defects else Outcome.PASS,
        expected=expected,
        got="; ".join(defects) if defects else expected,
    )
