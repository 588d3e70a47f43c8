"""How much a component writes about one object: 25 events of a type, then one in five minutes.

What it may not write is counted all the same, and told with the next that it may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_BURST = 25
_REFILL_S = 300.0
# By uid, type, component and host: when the source could write a whole burst again.
_RESTED_AT = "api.events.rested_at"
# By event: what was to be said of it and was not written.
_UNSAID = "api.events.unsaid"


class Unsaid(NamedTuple):
    """How often something was to be said, and the timestamp of the first time."""

    times: int
    since: str


def may_write(world: World, source: tuple[Any, ...]) -> bool:
    """Whether a source may write one more event now; if so, it is counted as written."""
    rested = world.table(_RESTED_AT)
    at = max(rested.get(source, 0.0), world.now)
    if at - world.now > (_BURST - 1) * _REFILL_S:
        return False
    rested[source] = at + _REFILL_S
    return True


def keep(world: World, event: tuple[Any, ...], times: int) -> None:
    """Keep in mind what was not written."""
    world.table(_UNSAID)[event] = take(world, event, times)


def take(world: World, event: tuple[Any, ...], times: int) -> Unsaid:
    """What there is to tell of an event that was to be said `times` more."""
    table = world.table(_UNSAID)
    known = table.pop(event, None) if table else None
    if known is None:
        return Unsaid(times, world.timestamp())
    return Unsaid(known.times + times, known.since)
