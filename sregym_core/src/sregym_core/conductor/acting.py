"""The agent's part of an episode, and its end when its time is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.call_log import out_of_time
from sregym_core.interfaces import run_with_deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.conductor.session import LiveSession

# How long an adapter may take to notice that the time is over, and to end what it has started.
GRACE_S = 5.0
END_S = 15.0


def in_time(part: Callable[[LiveSession], object], session: LiveSession) -> None:
    """Let the agent act; one that does not end by itself when its time is over is ended.

    Calls of the session end with the time, and so do processes that adapters look after: what is
    left is code of an adapter that computes or waits by itself.

    Raises:
        BudgetExceededError: It was ended.
    """
    budget, left_s = session.budget, session.wall_left_s
    if left_s is None:
        part(session)
        return
    limit_s = max(left_s, 0.0) + GRACE_S
    run_with_deadline(lambda: part(session), limit_s, lambda: out_of_time(budget), END_S)
