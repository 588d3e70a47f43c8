"""Commands for which a datastore reads all of its data, now and since it started, as its shell lists them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.segments import CallFlow
    from sregym_cluster_embedded.world import World


# More than that are not counted.
_MOST = 100


class Searching(NamedTuple):
    """Commands of one client that are looked for in all that a datastore has.

    Attributes:
        address: Of the client's pod.
        command: As its driver calls it: `find`.
        collection: What it is about.
        by: Fields by which it goes.
        examined: Documents or rows that each reads.
        at_once: How many are on their way.
        took_s: How long each takes, so far as its client waits.
    """

    address: str
    command: str
    collection: str
    by: tuple[str, ...]
    examined: int
    at_once: int
    took_s: float


def searching(world: World, server: ContainerRef) -> tuple[Searching, ...]:
    """What a datastore is looking for at this moment, by client."""
    found = []
    for instance in instances(world):
        if not instance.process.running or not instance.served:
            continue
        for call in _calls(instance, len(instance.served) - 1, server):
            lost = 1 - call.ok
            took_ms = call.ok * call.time.mean_ms + lost * call.failed_time.mean_ms
            at_once = min(_MOST, max(1, math.ceil(call.rate * took_ms / 1000)))
            assert call.search is not None  # by `_calls`
            by, examined = call.search.by, call.search.examined
            address = instance.process.config.pod_ip
            found.append(
                Searching(
                    address, call.operation, call.collection, by, examined, at_once, took_ms / 1000
                )
            )
    return tuple(found)


def searches_since(world: World, server: ContainerRef) -> dict[str, int]:
    """How often a datastore has read all of a collection since it started, by collection."""
    counts: dict[str, float] = {}
    for instance in instances(world):
        for number, (segment, end) in enumerate(instance.spans(world.now)):
            for call in _calls(instance, number, server):
                made = call.rate * max(0.0, end - segment.start)
                counts[call.collection] = counts.get(call.collection, 0.0) + made
    return {name: int(count) for name, count in counts.items()}


def _calls(instance: ContainerInstance, number: int, server: ContainerRef) -> Iterator[CallFlow]:
    for flow in instance.served[number].flows:
        for call in flow.calls:
            if call.search is not None and call.callee == server and call.rate > 0:
                yield call
