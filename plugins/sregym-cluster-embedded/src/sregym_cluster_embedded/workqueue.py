"""Work queues of controllers: many changes of one object become one look at it.

A controller is level-triggered: it is told *that* something about a key changed, and looks at the
present state a moment of virtual time later. What is waiting stands in a table, so that a fork
takes it along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World


def enqueue(world: World, handler: str, key: Any, delay_s: float) -> None:
    """Have `handler(world, key)` called in `delay_s`, unless it will be called sooner anyway."""
    waiting = world.queue(handler)
    clock = world.clock
    at = clock.now + delay_s
    planned = waiting.get(key)
    if planned is not None:
        if planned[0] <= at:
            return
        clock.cancel(planned[1])
    waiting[key] = (at, clock.schedule(at, handler, key))


def mark_processing(world: World, handler: str, key: Any) -> None:
    """To be called first by the handler: `key` is no longer waiting."""
    world.queue(handler).pop(key, None)


def forget(world: World, handler: str, key: Any) -> None:
    """Take `key` out of the queue."""
    planned = world.queue(handler).pop(key, None)
    if planned is not None:
        world.clock.cancel(planned[1])
