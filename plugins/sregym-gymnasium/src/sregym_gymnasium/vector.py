"""Many environments at once, with one set of checkpoints."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gymnasium.vector import SyncVectorEnv
from sregym_core.api import Budget
from sregym_rollouts import Rollouts

from sregym_gymnasium.environment import TextEnv

if TYPE_CHECKING:
    import gymnasium


def vector(
    count: int,
    *,
    kind: type[gymnasium.Env[Any, Any]] = TextEnv,
    max_steps: int = 30,
    mode: str = "standard",
    **options: Any,
) -> SyncVectorEnv:
    """Environments that start from each other's checkpoints.

    A problem is broken once for each seed, whichever of them plays it, and forked from then on. They
    share one interpreter; to use more processors run one vector in each of several processes.

    Args:
        count: How many.
        kind: `TextEnv` or `MovesEnv`.
        max_steps: Most actions of an episode.
        mode: How episodes are put to the policy.
        options: As for that kind.
    """
    rollouts = Rollouts(mode=mode, budget=Budget(steps=max_steps), agent="gymnasium")
    made = partial(kind, rollouts=rollouts, max_steps=max_steps, **options)  # type: ignore[call-arg]
    return SyncVectorEnv([made] * count)
