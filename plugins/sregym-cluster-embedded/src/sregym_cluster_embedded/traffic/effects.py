"""What traffic leaves behind: history, and processes that feel their load."""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.traffic.flow_stats import FlowStats
from sregym_cluster_embedded.traffic.merging import by_name
from sregym_cluster_embedded.traffic.segments import (
    QUEUES,
    SENT,
    SERVED,
    Flow,
    Load,
    QueueSegment,
    note,
    note_queue,
    segments,
)
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.life import touch_probes
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.solver import Solver
    from sregym_cluster_embedded.traffic.structure import Structure
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

# A panic is put off at least so long, so that its process has written its first lines.
_PANIC_S = 0.2

# When a request waits longer than one of these, probes with that timeout begin to fail.
_PATIENCE_S = (1, 2, 3, 4, 5, 10, 15, 20, 30, 60)

# The processes that were under load when it was last solved.
_LOADED: TableKey[ContainerRef, None] = TableKey("traffic.loaded")


def remember_all(world: World, equations: Solver, written: Structure | None = None) -> bool:
    """Write down everything: the structure is new, or what evolved has come to rest.

    Args:
        world: The cluster.
        equations: What flows.
        written: Another structure, of which what was written down last is the very same, of requests
            that end no process; it may differ in `pools`. What flows is not put into words again then.

    Returns:
        Whether it planned that requests end a process.
    """
    accounts = FlowStats(equations)
    structure = equations.structure
    sources = [source.ref for source in structure.sources]
    if written is None:
        _remember_sent(world, accounts)
    _remember_queues(world, accounts)
    for ref, known in list(world.table(SENT).items()):
        if known[-1].flows and ref not in sources:
            note(world, SENT, ref, ())
    serving = {server.ref: index for index, server in enumerate(structure.servers)}
    for ref in dict.fromkeys([*world.table(SERVED), *serving, *structure.pools]):
        process = process_of(world, ref)
        if process is None or not process.running:
            note(world, SERVED, ref, ())
        elif ref in serving:
            if written is None or not _goes_on(world, accounts, serving[ref], written):
                _remember(world, accounts, serving[ref])
        elif note(world, SERVED, ref, (), load=Load(pools=structure.pools.get(ref, ()))):
            touch_probes(world, ref)
    before = world.table(_LOADED)
    runtime: Runtime = world.service(RUNTIME)
    for ref in sorted({*serving, *before}):
        if ref not in serving:
            runtime.load_changed(world, ref, 0.0)
    before.clear()
    before.update(dict.fromkeys(serving))
    order = sorted(range(len(serving)), key=lambda i: structure.servers[i].ref)
    return _act(world, accounts, order, calm=written is not None)


def remember_some(world: World, equations: Solver, changed: list[int]) -> None:
    """Write down what has changed of some servers while something evolves."""
    accounts = FlowStats(equations)
    _remember_sent(world, accounts)
    _remember_queues(world, accounts)
    for index in changed:
        _remember(world, accounts, index)
    _act(world, accounts, changed)


def _remember_queues(world: World, accounts: FlowStats) -> None:
    """Write down how far behind consumer groups are, and how fast that changes."""
    n, operations = accounts.numbers, accounts.structure.operations
    for queue in accounts.structure.queues:
        spots = slice(queue.first, queue.first + queue.partitions)
        ahead = enumerate(n.ahead[spots])
        segment = QueueSegment(
            world.now,
            tuple(round(lag, 3) for lag in n.lag[spots]),
            tuple(round(rate, 6) for rate in n.come[spots]),
            tuple(round(rate, 6) for rate in n.taken[spots]),
            tuple(round(rate, 6) for rate in n.progress[spots]),
            tuple(number for number, left in ahead if left <= 0),
            tuple(
                (operations[consumer.operation].ref, operations[consumer.operation].name)
                for consumer in queue.consumers
            ),
        )
        note_queue(world, queue.key, segment)
    there = [queue.key for queue in accounts.structure.queues]
    for key in [key for key in world.table(QUEUES) if key not in there]:
        note_queue(world, key, QueueSegment(world.now, (), (), (), ()))


def _remember_sent(world: World, accounts: FlowStats) -> None:
    for source, rate in zip(accounts.structure.sources, accounts.numbers.sent, strict=True):
        note(world, SENT, source.ref, by_name(accounts.sent(source, rate)))


def _remember(world: World, accounts: FlowStats, index: int) -> None:
    """Write down what one server served, and let its probes see when that fails otherwise."""
    server, numbers = accounts.structure.servers[index], accounts.numbers
    pulled = accounts.pulled
    spots = [spot for spot in server.operations if numbers.rate[spot] > 0 or spot in pulled]
    flows = by_name(accounts.flow(spot) for spot in spots)
    lines = tuple(line for spot in spots for line in accounts.lines(spot))
    load = _load(accounts, index, idle=not spots)
    known = segments(world, SERVED, server.ref)
    failed = _failing(known[-1].flows) if known else None
    if note(world, SERVED, server.ref, flows, lines, load) and failed != _failing(flows):
        touch_probes(world, server.ref)


def _goes_on(world: World, accounts: FlowStats, index: int, written: Structure) -> bool:
    """Let a server serve what was written down last, over other connections perhaps; whether it can.

    One that stood still meanwhile cannot.
    """
    ref, pools = accounts.structure.servers[index].ref, accounts.structure.pools
    known = segments(world, SERVED, ref)
    if not known or not known[-1].flows:
        return False
    if pools.get(ref) != written.pools.get(ref):
        load = _load(accounts, index, idle=False)
        note(world, SERVED, ref, known[-1].flows, known[-1].lines, load)
    return True


def _load(accounts: FlowStats, index: int, *, idle: bool) -> Load:
    """How a server fares."""
    busy = not idle or accounts.structure.servers[index].threads
    load = accounts.load(index) if busy else Load()
    return load._replace(leaks=_leaks(accounts, index))


def _leaks(accounts: FlowStats, index: int) -> float:
    """Bytes a second that requests to a server take and never give back."""
    n, operations = accounts.numbers, accounts.structure.operations
    taken = 1 - n.dropped[index] - n.rejected[index]
    spots = accounts.structure.servers[index].operations
    return round(sum(n.rate[spot] * operations[spot].leaves_bytes for spot in spots) * taken, 3)


def _failing(flows: Iterable[Flow]) -> list[tuple[str, list[str]]]:
    """Which operations fail with which errors, without how often."""
    return [(flow.operation, [text for text, _ in flow.errors]) for flow in flows]


def _act(world: World, accounts: FlowStats, changed: list[int], *, calm: bool = False) -> bool:
    """Let processes feel the load that they are under, and requests that end them: if any do.

    Where it is known to be `calm` none do.
    """
    deadly = False
    runtime: Runtime = world.service(RUNTIME)
    structure, numbers = accounts.structure, accounts.numbers
    for index in changed:
        server = structure.servers[index]
        process = process_of(world, server.ref)
        if process is None or not process.running:
            continue
        rate = sum(numbers.rate[spot] for spot in server.operations)
        holds = server.request_bytes or server.heap is not None
        held = accounts.load(index).memory_bytes if holds else 0.0
        wait_s = round(numbers.wait_ms[index] / 1000, 3)
        patience = bisect(_PATIENCE_S, wait_s) != bisect(_PATIENCE_S, process.wait_s)
        leaks = _leaks(accounts, index)
        runtime.load_changed(world, server.ref, round(rate, 6), held, wait_s, leaks)
        if patience:
            touch_probes(world, server.ref)
        for spot in server.operations if not calm else ():
            share, code = accounts.of(spot).panics
            if share > 0 and numbers.rate[spot] > 0:
                delay = max(_PANIC_S, 1 / (numbers.rate[spot] * share))
                name = structure.operations[spot].name
                world.after(delay, "traffic.panic", server.ref, name, code)
                deadly = True
    return deadly


def forget(world: World, ref: ContainerRef) -> None:
    """Drop what is kept of a process whose container is gone."""
    world.table(SERVED).pop(ref, None)
