"""How much a component writes about one object, and what it keeps in mind of that.

It writes 25 events of a type, then one in five minutes. What it may not write is counted all the
same, and told with the next that it may; and it goes on counting when an event of its has gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Key, Object
    from sregym_cluster_embedded.world import World

# Of a burst of 25 events each costs five minutes of rest; so far a source may be behind.
_REFILL_S = 300.0
_BEHIND_S = 24 * _REFILL_S
# By uid, type, component and host: when the source could write a whole burst again.
_RESTED_AT: TableKey[tuple[Any, ...], float] = TableKey("api.events.rested_at")
# By event: what was to be said of it and was not written.
_UNSAID: TableKey[tuple[Any, ...], EventCount] = TableKey("api.events.unsaid")
# By the key of an event that is gone: what it told. As many as a component remembers.
_GONE: TableKey[Key, EventCount] = TableKey("api.events.gone")
_REMEMBERED = 4096


class EventCount(NamedTuple):
    """How often something was to be said, and the timestamp of the first time; empty for now."""

    times: int
    since: str = ""


_ONCE = EventCount(1)


def weigh(
    world: World, source: tuple[Any, ...], event: tuple[Any, ...], times: int
) -> EventCount | None:
    """What a source may write now of an event that was to be said `times` more.

    None when it has written too much: what it would have said is kept in mind.
    """
    rested, unsaid, now = world.table(_RESTED_AT), world.table(_UNSAID), world.clock.now
    at: float = rested.get(source, now)
    said = _ONCE if times == 1 else EventCount(times)
    if unsaid and event in unsaid:
        known: EventCount = unsaid.pop(event)
        said = EventCount(known.times + times, known.since)
    if at - now > _BEHIND_S:
        unsaid[event] = said if said.since else EventCount(times, world.timestamp())
        return None
    rested[source] = (at if at > now else now) + _REFILL_S
    return said


def forget_rested(world: World) -> None:
    """Drop what is kept of sources that could write a whole burst again."""
    rested = world.table(_RESTED_AT)
    for source in [source for source, at in rested.items() if at <= world.now]:
        del rested[source]


def event_deleted(world: World, key: Key, event: Object) -> None:
    """An event that a component had written is gone; the component does not know."""
    if "count" not in event or not event.get("firstTimestamp"):
        return
    table = world.table(_GONE)
    table[key] = EventCount(event["count"], event["firstTimestamp"])
    if len(table) > _REMEMBERED:
        del table[next(iter(table))]


def previous_event(world: World, key: Key, said: EventCount) -> EventCount:
    """What is to be told anew of an event that was written under `key` and is gone."""
    known = world.table(_GONE).pop(key, None)
    return said if known is None else EventCount(known.times + said.times, known.since)
