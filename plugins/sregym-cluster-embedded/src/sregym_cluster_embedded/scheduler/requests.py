"""What the scheduler asks of the API server where admission is configured, which may refuse it.

A pod whose binding was refused waits before it is tried again, each time twice as long.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import dynamic
from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sregym_cluster_embedded.store import Key
    from sregym_cluster_embedded.world import World

# By pod: how often a write for it was refused.
_REFUSALS: TableKey[Key, int] = TableKey("scheduler.refusals")
_FIRST_S = 1.0
_LONGEST_S = 10.0


def speaking(world: World) -> AbstractContextManager[None]:
    """Inside of this, admission sees what the scheduler writes, and may refuse it."""
    if dynamic.configured(world):
        return dynamic.dynamic_admission(world, dynamic.SCHEDULER)
    return nullcontext()


def back_off(world: World, key: Key) -> float:
    """How long a pod waits after another refusal."""
    table = world.table(_REFUSALS)
    before: int = table.get(key, 0)
    table[key] = before + 1
    return min(_FIRST_S * 2.0 ** min(before, 10), _LONGEST_S)


def stop_waiting(world: World, key: Key) -> None:
    """A pod has its node, or is gone."""
    table = world.table(_REFUSALS)
    if table:
        table.pop(key, None)
