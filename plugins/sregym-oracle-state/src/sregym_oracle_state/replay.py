"""The oracle `replay`: does a repaired system bear what tipped it over?"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Oracle
from sregym_core.model import Check, Outcome, Verdict, name_of

from sregym_oracle_state.oracle import StateOracle

if TYPE_CHECKING:
    from sregym_core.interfaces import OracleContext

_EXPECTED = (
    "the system serves its users again after what tipped it over has come and passed once more"
)


class ReplayOracle(Oracle):
    """Brings about once more what made the defects hurt, and then judges as the oracle `state` does.

    What passes by itself, a peak of load say, may not bring down for good a system that was
    repaired. Judges state first: a system that is not repaired is spared.
    """

    name: ClassVar[str] = "replay"
    stage: ClassVar[str] = "mitigation"

    def judge(self, context: OracleContext) -> Verdict:
        """The checks of `state` before, and, where those pass and there is an occasion, after it."""
        before = StateOracle().judge(context)
        if before.outcome is not Outcome.PASS:
            return before
        replayed = [
            name_of(faulted.target) for fault, faulted in context.faults if fault.replay(faulted)
        ]
        got = f"replayed for {', '.join(replayed)}" if replayed else "there is no such occasion"
        outcome = Outcome.PASS if replayed else Outcome.ERROR
        check = Check(name="replay", outcome=outcome, expected=_EXPECTED, got=got)
        if not replayed:
            return Verdict.of([check])
        after = StateOracle().judge(context)
        return after.model_copy(update={"checks": Verdict.of([check, *after.checks]).checks})
