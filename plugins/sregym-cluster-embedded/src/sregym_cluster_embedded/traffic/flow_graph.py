"""The graph of request flow: calls from load generators to the services at which they end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import (
    AnyCall,
    CacheAside,
    Call,
    Parallel,
    ServiceProgram,
    StoreProgram,
    amount,
    count,
    expand,
)

from sregym_cluster_embedded.traffic.breaking import set_breakers
from sregym_cluster_embedded.traffic.descriptors import hold_descriptors
from sregym_cluster_embedded.traffic.dns_load import answering, lookup_site
from sregym_cluster_embedded.traffic.heaps import heap_of
from sregym_cluster_embedded.traffic.kept import (
    gone,
    group_of,
    keeps_unread,
    storage_of,
    topics_at,
)
from sregym_cluster_embedded.traffic.latency import Time, network_time, timed_out_share
from sregym_cluster_embedded.traffic.live import state_of
from sregym_cluster_embedded.traffic.opened import FAST_MS, NO_ROUTE_MS, open_for_each_call
from sregym_cluster_embedded.traffic.openings import open_connections
from sregym_cluster_embedded.traffic.processors import free_processors, nodes_of
from sregym_cluster_embedded.traffic.reached import reached
from sregym_cluster_embedded.traffic.refusing import refusal, reset_share
from sregym_cluster_embedded.traffic.searches import Search, searched
from sregym_cluster_embedded.traffic.structure import (
    CacheLookup,
    CallRoute,
    CallSite,
    CallStep,
    Consumer,
    Fill,
    Operation,
    ParallelCalls,
    Queue,
    Server,
    Step,
    Structure,
)
from sregym_cluster_embedded.traffic.timeouts import set_deadlines
from sregym_cluster_embedded.traffic.variants import failures_as_calls, present, taken
from sregym_cluster_embedded.userland.client_errors import error_text
from sregym_cluster_embedded.userland.computing import computing
from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds import queued_ms, slowed_ms
from sregym_cluster_embedded.userland.leading import reads_of
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.throttling import shares
from sregym_cluster_embedded.userland.wiring import looked_up, targets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Client

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.batch import Work
    from sregym_cluster_embedded.userland.kinds import Refusal
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World

# Cores of a container without a limit: those of its node.
_FREE_CORES = 2.0

# An operation that is still being looked at: it calls itself, by way of others.
_UNFINISHED = -2


class Builder:
    """Makes one structure.

    Args:
        world: The cluster.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.runtime: Runtime = world.service(RUNTIME)
        self.made = Structure()
        self.footing = DependencyTracker()
        self._known: dict[tuple[ContainerRef, str, tuple[tuple[str, str], ...]], int] = {}
        self._facts: dict[ContainerRef, Mapping[str, str]] = {}
        self._servers: dict[ContainerRef, int] = {}
        self._processes: dict[ContainerRef, Process | None] = {}
        self._fills: dict[tuple[ContainerRef, float, str, str, int], int] = {}
        self._produced: dict[tuple[str, str], list[tuple[int, float]]] = {}
        self._groups: dict[tuple[str, str, str], list[Consumer]] = {}
        self._clients: dict[tuple[ContainerRef, str, str], tuple[Client, tuple[Target, ...]]] = {}
        self._computing = dict(self.footing.at(computing, world))

    def consumer(self, process: Process, program: ServiceProgram) -> None:
        """Add what a program takes from message queues, and all that it leads to."""
        facts = process.facts()
        for consumer in program.consumers.values():
            _, found = self._client(process, consumer.client)
            topic, group = expand(consumer.topic, facts), expand(consumer.group, facts)
            storage = next((place for route in found if (place := self._storage(route))), "")
            if topic in self.footing.at(topics_at, self.world, storage).topics:
                operation = self.operation(process.ref, consumer.operation)
                held = self.footing.at(group_of, self.world, storage, topic, group)
                key = (storage, topic, held)
                self._groups.setdefault(key, []).append(
                    Consumer(operation, consumer.poison.with_facts(facts))
                )

    def work(self, ref: ContainerRef, work: Work) -> None:
        """Add what a program does by itself, and all that it leads to."""
        operation = self.operation(ref, work.operation)
        if operation >= 0:
            self.made.work.append((operation, work.rate))

    def operation(
        self, ref: ContainerRef, name: str, asked: tuple[tuple[str, str], ...] = ()
    ) -> int:
        """The index of an operation; -1 when the process has none of that name.

        Args:
            ref: The process.
            name: Its name.
            asked: Name and value of what of the requests it depends on.
        """
        key = (ref, name, asked)
        known = self._known.get(key)
        if known is not None:
            return known
        process = self._process(ref)
        program = None if process is None else self.runtime.program_of(process)
        if process is None or program is None:
            return -1
        if isinstance(program, StoreProgram):
            slowed = self.footing.at(slowed_ms, self.world, ref)
            cpu_ms = program.cpu_ms + sum(float(cost) for _, cost in asked)
            operation = Operation(ref, name, 0, cpu_ms, program.latency_ms + slowed)
        elif isinstance(program, ServiceProgram) and name in program.operations:
            self._known[key] = _UNFINISHED
            model = program.operations[name]
            now = present(self.world, process, model, self.footing, asked)
            operation = Operation(ref, name, 0, now.cpu_ms, now.latency_ms, now.jitter)
            operation.log, operation.leaves_bytes = model.log, now.leaves_bytes
            operation.status = 0 if model.route is None else model.failure.status
            sites: list[CallSite] = []
            own = failures_as_calls(now, self.made, sites)
            self._facts[ref] = now.facts
            called = self._steps(process, operation, now.made(model.calls), sites, None)
            operation.steps = (*own, *called)
            operation.sites = tuple(sites)
        elif (answer := answering(self.world, process, name)) is not None:
            operation = answer
        else:
            return -1
        index = self._known[key] = len(self.made.operations)
        operation.server = self._server(process)
        self.made.servers[operation.server].operations.append(index)
        self.made.operations.append(operation)
        return index

    def finished(self, *, whole: bool = True) -> Structure:
        """The structure, with all deadlines.

        Args:
            whole: Whether it is all that flows, and not one request.
        """
        self._queue_up()
        for process in filter(None, map(self._process, self._computing)):
            if process.running:
                self._server(process)
        self.made.nodes = nodes_of(self.world, self.made.servers, self.footing)
        open_connections(self.world, self.made, self.footing, self._client, whole=whole)
        open_for_each_call(self.world, self.made, self.footing)
        hold_descriptors(self.world, self.made, self.footing)
        set_breakers(self.made)
        set_deadlines(self.made)
        return self.made

    def _queue_up(self) -> None:
        """Put producers and consumer groups of topics together, groups without members included."""
        before = state_of(self.world).live
        known = [queue.key for queue in before.structure.queues] if before is not None else []
        look, world = self.footing.at, self.world
        unread = [(*key, key[1]) for key in self._produced if look(keeps_unread, world, key[0])]
        for key in dict.fromkeys([*known, *self._groups, *unread]):
            storage, topic, group = key
            data = look(topics_at, world, storage)
            if topic not in data.topics or (key not in self._groups and look(gone, world, storage)):
                continue
            odd = tuple((o.partition, o.number) for o in data.odd if o.topic == topic)
            resets = tuple(entry for entry in data.resets if entry[:2] == (group, topic))
            produced = tuple(self._produced.get((storage, topic), ()))
            consumers = tuple(self._groups.get(key, ()))
            made, partitions = self.made, data.topics[topic]
            made.queues.append(
                Queue(key, made.partitions, partitions, produced, consumers, odd, resets)
            )
            made.partitions += partitions

    def _storage(self, target: Target) -> str:
        """The identity of what a broker keeps; empty when the target is none that answers."""
        if target.kind or target.ref is None:
            return ""
        return self.footing.at(storage_of, self.world, target.ref)

    def _server(self, process: Process) -> int:
        known = self._servers.get(process.ref)
        if known is None:
            known = self._servers[process.ref] = len(self.made.servers)
            limit, node = process.config.cpu_limit_cores, process.config.node
            threads = self._computing.get(process.ref, 0.0)
            left = self.footing.at(free_processors, self.world, node)
            cores, room = min(limit or _FREE_CORES, left), min(limit or _FREE_CORES + threads, left)
            weight = shares(process.config)
            server = Server(process.ref, cores, bool(limit), room, node, weight, threads)
            program = self.runtime.program_of(process)
            if program is not None:
                facts = process.facts()
                server.concurrency = count(expand(program.limits.concurrency, facts), 0)
                server.rate = amount(expand(program.limits.rate, facts))
                queue = count(expand(program.limits.queue, facts), -1)
                server.queue = None if queue < 0 else queue
                server.request_bytes = program.memory.per_request_kib * 1024
                if program.gc is not None:
                    server.heap = heap_of(program.gc, facts)
            self.made.servers.append(server)
        return known

    def _steps(
        self,
        process: Process,
        operation: Operation,
        calls: tuple[AnyCall, ...],
        sites: list[CallSite],
        stage: int | None,
    ) -> tuple[Step, ...]:
        """Calls in sequence; `sites` gets the places, `stage` is given inside parallel calls."""
        steps: list[Step] = []
        for call in calls:
            here = (sites[-1].stage + 1 if sites else 0) if stage is None else stage
            if isinstance(call, Call):
                client, found = self._client(process, call.call.partition(".")[0])
                look_up = lookup_site(self, process, client, found, call, sites, here)
                if look_up is not None:
                    steps.append(CallStep(look_up, call.share))
                steps.append(CallStep(self._site(process, call, sites, here), call.share))
            elif isinstance(call, Parallel):
                parts = [
                    self._steps(process, operation, (part,), sites, here) for part in call.parallel
                ]
                steps.append(ParallelCalls(tuple(parts)))
            else:
                steps.append(self._aside(process, operation, call, sites, stage, here))
        return tuple(steps)

    def _aside(
        self,
        process: Process,
        operation: Operation,
        call: CacheAside,
        sites: list[CallSite],
        stage: int | None,
        here: int,
    ) -> CacheLookup:
        # Its parts were checked when the program was read.
        asking = Call.model_construct(call=f"{call.cache}.get", on_error=call.on_error)
        look = self._site(process, asking, sites, here)
        fill, cache = -1, look.routes[0].target.ref if look.routes else None
        if call.keys and cache is not None:
            server = self._process(cache)
            since = 0.0 if server is None else server.emptied_at
            key = (cache, since, process.program, operation.name, len(sites))
            fill = self._fills.setdefault(key, len(self.made.fills))
            if fill == len(self.made.fills):
                self.made.fills.append(Fill(key, call.keys, []))
            self.made.fills[fill].sites.append(look.index)
        miss = self._steps(process, operation, call.miss, sites, stage)
        return CacheLookup(CallStep(look, 1.0), call.hit_rate, fill, miss)

    def _site(self, process: Process, call: Call, sites: list[CallSite], stage: int) -> CallSite:
        name, _, operation = call.call.partition(".")
        client, found = self._client(process, name, operation)
        routes = tuple(
            route for target in found for route in self._ways(process, client, name, target, call)
        )
        site = CallSite(
            len(self.made.sites), name, client, operation, call.collection, call.on_error,
            call.times, stage, routes, client.timeout_s * 1000,
        )  # fmt: skip
        self.made.sites.append(site)
        sites.append(site)
        if client.wire.messaging:
            for route in routes:
                storage = "" if route.kind else self._storage(route.target)
                if storage:
                    entry = (site.index, route.share)
                    self._produced.setdefault((storage, call.collection), []).append(entry)
        return site

    def _ways(
        self, process: Process, client: Client, name: str, target: Target, call: Call
    ) -> tuple[CallRoute, ...]:
        """How calls to a target end: one way, or two where only a part of them is refused."""
        operation, timeout_ms = call.call.partition(".")[2], client.timeout_s * 1000

        def broken(kind: str, inner: str = "", callee: int = -1, part: float = 1.0) -> CallRoute:
            took = {"timeout": timeout_ms, "no_route": min(NO_ROUTE_MS, timeout_ms)}
            if client.wire.led:
                took["unavailable"] = timeout_ms
            text = error_text(client, kind, target.facts, inner)
            share = target.share * part
            return CallRoute(
                self._number(), share, target, callee, kind, text, took.get(kind, FAST_MS)
            )

        if target.kind:
            return (broken(target.kind),)
        server = None if target.ref is None else self._process(target.ref)
        if server is None or not server.running:
            return (broken("reset"),)
        refused: Refusal | None = None
        search: Search | None = None
        waits_ms = 0.0
        program = self.runtime.program_of(server)
        if isinstance(program, StoreProgram):
            if call.by:
                about = (process.ref, name, server.ref, operation, call.collection, call.by)
                search = self.footing.at(searched, self.world, *about)
            cost = () if search is None else (("search", f"{search.cpu_ms:.6g}"),)
            callee = self.operation(server.ref, "*", cost)
            end = (target.listener, target.facts["host"])
            wanted = (process.ref, name, server.ref, end, operation, call.collection, call.columns)
            refused = self.footing.at(refusal, self.world, *wanted)
            waits_ms = self.footing.at(queued_ms, self.world, server.ref, operation)
            if refused is not None and refused.share >= 1:
                return (broken(refused.kind, refused.text, callee),)
        else:
            if client.protocol == "http" and isinstance(program, ServiceProgram):
                operation = reached(self.world, program, operation) or operation
            callee = self.operation(server.ref, operation)
            if callee == -1:
                inner = f"unknown method {call.call.partition('.')[2]}"
                if client.protocol == "grpc":
                    inner = f"rpc error: code = Unimplemented desc = {inner}"
                return (broken("server", inner),)
            if callee == _UNFINISHED and call.share == 1:  # it goes around until a caller gives up
                return (broken("timeout"),)
        transit, lost = Time(), 0.0
        if target.path is not None:
            transit, lost = network_time(target.path), timed_out_share(target.path, timeout_ms)
        if took := taken(call, self._facts.get(process.ref, {})):
            transit = transit.then(took)
        if waits_ms:
            transit = transit.then(Time(waits_ms, waits_ms**2))
        route = CallRoute(
            self._number(), target.share, target, callee, transit=transit, lost=lost, search=search
        )
        asked = (process.ref, server.ref, call.on_error.then)
        if refused is not None:
            failing = broken(refused.kind, refused.text, callee, refused.share)
        elif part := self.footing.at(reset_share, self.world, *asked):
            failing = broken("reset", part=part)._replace(chance=part)
        else:
            return (route,)
        return (route._replace(share=route.share - failing.share), failing)

    def _number(self) -> int:
        self.made.routes += 1
        return self.made.routes - 1

    def _process(self, ref: ContainerRef) -> Process | None:
        if ref not in self._processes:
            self._processes[ref] = self.footing.at(process_of, self.world, ref)
        return self._processes[ref]

    def _client(
        self, process: Process, name: str, command: str = ""
    ) -> tuple[Client, tuple[Target, ...]]:
        client = process.clients[name]
        key = (process.ref, name, reads_of(client, command))
        known = self._clients.get(key)
        if known is None:
            if client.registry is None:
                found = targets(self.world, process, client, self.footing, command)
            else:
                _, hops = self._client(process, client.registry)
                found = looked_up(self.world, process, client, hops, self.footing)
            known = self._clients[key] = (client, found)
        return known
