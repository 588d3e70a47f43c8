"""Checks of what probing clients see, which no process in the cluster can imitate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ProbeError
from sregym_core.model import Check, Outcome

from sregym_oracles import guarded_check, success_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import OracleContext
    from sregym_core.model import ObjectRef

NAME = "users-served"
# Long enough for several requests of rare operations at a share of the usual rate.
PROBED_S = 60.0
_EXPECTED = "clients of the harness are served as users were in the baseline"


def users_served(context: OracleContext, anew: Sequence[ObjectRef] = ()) -> Check | None:
    """Whether clients are served that are the harness's own; None where there are none.

    The log of the load generator is evidence of the same, but an agent that may change the load generator, or
    start pods beside it, can write anything there.

    Args:
        context: What was left behind.
        anew: Workloads that are restarted before, where that can be tried on a copy.
    """
    probe = context.probe
    if probe is None:
        return None

    def served() -> Check:
        try:
            seen = probe(PROBED_S, anew)
        except ProbeError as error:
            return Check(name=NAME, outcome=Outcome.FAIL, expected=_EXPECTED, got=str(error))
        if not seen.requests:
            got = "they came to their end without a single answer"
            return Check(name=NAME, outcome=Outcome.FAIL, expected=_EXPECTED, got=got)
        return success_rate(context.baseline.traffic, seen, NAME)

    return guarded_check(NAME, _EXPECTED, served)
