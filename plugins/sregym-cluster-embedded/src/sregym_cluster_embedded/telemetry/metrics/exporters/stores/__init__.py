"""Exporters of datastores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.store import MISS, Store
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet, cpu
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.command_counts import Counted
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

__all__ = ["Store", "commands_of", "counted_of", "held_connections"]


def commands_of(world: World, ref: ContainerRef) -> dict[str, int]:
    """How often a server has been asked for each command by now; the `commands` of `counted_of`."""
    process = process_of(world, ref)
    if process is None:
        return {}
    instance = ContainerInstance(process, segments(world, SERVED, ref))
    return _commands(Store([*instances(world)], world.epoch, instance), world.now)


def _commands(store: Store, now: float) -> dict[str, int]:
    moment = np.array([now])
    return {name: int(one.total(moment)[0]) for name, one in store.commands.items()}


def held_connections(world: World, ref: ContainerRef, least: int) -> Counted:
    """How many connections a server has now, and whose where that are at least so many."""
    process = process_of(world, ref)
    if process is None:
        return Counted({})
    instance = ContainerInstance(process, segments(world, SERVED, ref))
    connections = int(Store((), world.epoch, instance).callers(np.array([world.now]))[0])
    pooled = sum(peer.held for peer in instance.served[-1].load.pools) if instance.served else 0
    if max(connections, pooled) < least:
        return Counted({}, connections)
    return Counted({}, connections, peers=Store([*instances(world)], world.epoch, instance).peers())


def counted_of(world: World, ref: ContainerRef) -> Counted:
    """What a server has been asked for by now, as its exporter counts it."""
    process = process_of(world, ref)
    if process is None:
        return Counted({})
    store = Store(
        [*instances(world)], world.epoch, ContainerInstance(process, segments(world, SERVED, ref))
    )
    now = np.array([world.now])
    missed, connected = store.total(MISS, ("get",)), store.connected()
    assert not isinstance(missed, float)
    assert not isinstance(connected, float)
    rate = store.load(lambda part: sum(flow.rate for flow in part.flows))
    return Counted(
        _commands(store, world.now),
        int(store.callers(now)[0]),
        int(WorkingSet(store.instance)(now)[0]),
        float(cpu(store.instance)(now)[0]),
        int(missed(now)[0]),
        int(connected(now)[0]),
        int(rate(now)[0]),
        store.peers(),
        store.refused(world.now),
    )
