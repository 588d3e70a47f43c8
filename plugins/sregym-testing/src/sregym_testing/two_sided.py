"""Two-sided proof of an oracle: it must pass what is healthy and fail each thing that is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import OracleContext
    from sregym_core.model import Verdict


@dataclass(frozen=True)
class JudgedSystem:
    """One graded system: its name, the expected and the actual outcome, and the reason."""

    name: str
    expected: Outcome
    got: Outcome
    reason: str


def prove_two_sided(
    judge: Callable[[OracleContext], Verdict],
    healthy: Mapping[str, Callable[[], OracleContext]],
    broken: Mapping[str, Callable[[], OracleContext]],
) -> Sequence[JudgedSystem]:
    """Judge every system, each built afresh; gives those on which the oracle was wrong.

    Args:
        judge: `oracle.judge`.
        healthy: Systems that must pass, by name.
        broken: Systems that must fail, by name; an error is not good enough.

    Raises:
        ValueError: If one of the sides is empty: a one-sided proof proves nothing.
    """
    if not healthy or not broken:
        raise ValueError("a two-sided proof needs at least one healthy and one broken system")
    wrong = []
    for systems, expected in ((healthy, Outcome.PASS), (broken, Outcome.FAIL)):
        for name, build in systems.items():
            verdict = judge(build())
            if verdict.outcome is not expected:
                wrong.append(JudgedSystem(name, expected, verdict.outcome, verdict.reason))
    return wrong
