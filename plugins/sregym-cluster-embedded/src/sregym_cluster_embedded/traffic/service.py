"""The traffic layer: finds what flows when something has changed, and lets it evolve with time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_apps.model import Program

from sregym_cluster_embedded.network.ingress_status import FOLLOWED
from sregym_cluster_embedded.traffic.breaking import log_breaker_changes, soonest
from sregym_cluster_embedded.traffic.counting import Totals, totals
from sregym_cluster_embedded.traffic.effects import forget, remember_all, remember_some
from sregym_cluster_embedded.traffic.flow_graph import Builder
from sregym_cluster_embedded.traffic.flow_state import Carried, FlowState
from sregym_cluster_embedded.traffic.flow_stats import FlowStats
from sregym_cluster_embedded.traffic.groups import GroupView, views
from sregym_cluster_embedded.traffic.live import Live, keep, mark, near, queue_mark, state_of
from sregym_cluster_embedded.traffic.segments import SENT, SERVED, segments
from sregym_cluster_embedded.traffic.sending import add_source
from sregym_cluster_embedded.traffic.settled import Settled, keep_settled, settled
from sregym_cluster_embedded.traffic.solver import Solver
from sregym_cluster_embedded.userland.batch import working
from sregym_cluster_embedded.userland.flags import watch_flags
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.life import end, write_log
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.replication import schedule_checks

if TYPE_CHECKING:
    from sregym_apps.model import LoadGeneratorProgram, ServiceProgram

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.store import Change
    from sregym_cluster_embedded.traffic.structure import Structure
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

    _Generators = tuple[tuple[Process, LoadGeneratorProgram], ...]

# Changes that come together are solved together, and while they keep coming, as when an
# application starts, not more often than this.
_SETTLE_S = 0.2
_PERIOD_S = 1.0
# With more pods than this, both the finding and the steps are rarer: what either costs grows with
# their number, and so does the number of changes while all of them start. What changes in a system
# that had been quiet for so long is still found at once.
_MANY = 150
_STARTING, _RAREST_S = 1.5, 15.0

_CERTIFICATE = "kubernetes.io/tls"

# What moves by less in a step has come to rest.
_STILL = 1e-4
_TREMBLE, _LONG_S = 5e-3, 120.0

# Steps are longer when something evolves for so long: (seconds since it began, step).
_STEPS_S = ((120.0, 1.0), (600.0, 2.0), (float("inf"), 10.0))

# A step lasts until something has changed by this share of itself, but at most `_RAREST_S`: what
# warms up or drains slowly needs no look every second.
_NOTICED = 0.01

# What may lead requests another way: the configuration of the cluster's DNS, and certificates,
# among it.
WATCHED = (
    "services",
    "endpointslices.discovery.k8s.io",
    "networkpolicies.networking.k8s.io",
    "configmaps",
    "secrets",
    *FOLLOWED,
)


class OperationWindow(NamedTuple):
    """What a load generator saw of one operation over a span of time."""

    namespace: str
    pod: str
    operation: str
    totals: Totals


class Traffic:
    """Offered to lower layers as `traffic`."""

    def changed(self, world: World) -> None:
        """Something that requests depend on has changed: solve soon, once."""
        state = state_of(world)
        if not state.due:
            keep(world, state._replace(due=True))
            rest = (
                state.solved_at + min(_RAREST_S, _PERIOD_S * _crowd(world) ** _STARTING) - world.now
            )
            world.after(max(_SETTLE_S, rest), "traffic.solve")

    def watch(self, world: World, change: Change) -> None:
        """Follower of the resources in `WATCHED`."""
        key = change.key
        if key.resource == "configmaps" and key.namespace != "kube-system":
            return
        if key.resource != "secrets" or change.obj.get("type") == _CERTIFICATE:
            self.changed(world)

    def request(self, world: World, ref: ContainerRef, operation: str) -> str:
        """One request by hand, now; the error that it ends with, empty when it succeeds."""
        return self.answered(world, ref, operation)[0]

    def answered(self, world: World, ref: ContainerRef, operation: str) -> tuple[str, int]:
        """One request by hand, now; its error, empty when it succeeds, and the status of that.

        The status is 0 where it is that of failures of the operation in general.
        """
        accounts, index = _alone(world, ref, operation)
        if index < 0:
            return "unknown operation", 0
        point = world.seed.fraction("request", ref, operation, world.now)
        for text, share in accounts.of(index).failures.items():
            point -= share
            if point < 0:
                return text, accounts.of(index).statuses.get(text, 0)
        return "", 0

    def window(self, world: World, start: float, end: float) -> list[OperationWindow]:
        """What load generators saw from virtual second `start` to `end`, ended ones included."""
        found = []
        for ref, known in world.table(SENT).items():
            names = dict.fromkeys(flow.operation for part in known for flow in part.flows)
            for name in names:
                counted = totals(known, name, start, end)
                if counted.requests:
                    found.append(OperationWindow(ref.namespace, ref.pod, name, counted))
        return found

    def failed(
        self, world: World, ref: ContainerRef, operation: str, since: float
    ) -> tuple[float, str]:
        """Which share of what a process did since a moment failed, and the error of most of it."""
        found = totals(segments(world, SERVED, ref), operation, since, world.now)
        if not found.failed:
            return 0.0, ""
        error = max(sorted(found.failed), key=lambda text: found.failed[text])
        return 1 - found.ok / found.requests, error

    def groups(self, world: World, storage: str) -> list[GroupView]:
        """The consumer groups of one broker, by the identity of its storage."""
        return views(world, storage, state_of(world).live)

    def solve(self, world: World) -> None:
        """Event: something has changed; find the structure anew, and what flows from now on."""
        state = state_of(world)._replace(due=False, solved_at=world.now)
        keep(world, state)
        schedule_checks(world)
        watch_flags(world)
        rest, footing, live = state.at_rest(), state.footing, state.live
        if rest and footing is not None and footing.holds(world):
            return
        _pass_time(world)
        if not rest and live is not None and footing is not None and footing.holds(world):
            structure, generators = live.structure, live.generators
        else:
            structure, generators, footing = _built(world)
        numbers = FlowState(structure)
        state = state_of(world)
        if state.live is not None:
            Carried(state.live.structure, state.live.numbers).give(structure, numbers)
        keep(world, state._replace(footing=footing))
        self._settle(world, Live(structure, numbers, generators, world.now))

    def load(self, world: World) -> None:
        """Event: the load of a generator changes as planned."""
        _pass_time(world)
        live = state_of(world).live
        if live is not None:
            numbers = live.numbers.copy()
            self._settle(world, live._replace(numbers=numbers, since=world.now))

    def step(self, world: World, number: int) -> None:
        """Event: a second has passed in which something evolves."""
        if state_of(world).number != number:
            return
        _pass_time(world)
        state = state_of(world)
        live = state.live
        assert live is not None
        equations = Solver(live.structure, live.numbers, live.factors(world.now))
        marks = _marks(live)
        keep_settled(world, None)
        if not live.restless:
            deadly = remember_all(world, equations)
            keep(world, state_of(world)._replace(marks=marks, deadly=deadly))
            return
        known = state.marks
        if not all(near(found, before) for found, before in zip(marks, known, strict=True)):
            # All that differs at all, so that both ends of a call tell the same.
            servers = range(len(live.structure.servers))
            changed = [spot for spot in servers if marks[spot] != known[spot]]
            keep(world, state._replace(marks=marks))
            remember_some(world, equations, changed)
        _plan_step(world, live)

    def panic(self, world: World, ref: ContainerRef, operation: str, code: int) -> None:
        """Event: a request meets the error that ends its process, if that error is still there."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return
        accounts, index = _alone(world, ref, operation)
        if index < 0 or accounts.of(index).panics[0] <= 0:
            return
        program = world.service(RUNTIME).program_as(process, Program)
        _, lines, facts = max(accounts.of(index).last_words, key=lambda words: words[0])
        write_log(world, ref, program, lines, facts)
        end(world, ref, code)

    def forget(self, world: World, ref: ContainerRef) -> None:
        """Drop what is kept of a process whose container is gone."""
        forget(world, ref)

    def served(self, world: World, ref: ContainerRef) -> tuple[Any, ...]:
        """The segments of what a process served."""
        return segments(world, SERVED, ref)

    def _settle(self, world: World, live: Live) -> None:
        """Let the numbers agree after a change from outside, and plan what comes of itself."""
        state, factors = state_of(world), live.factors(world.now)
        before = settled(world)
        if before is not None and before.holds(live.structure, live.numbers, factors):
            found = before._replace(structure=live.structure)
            equations = Solver(live.structure, found.numbers, factors)
        else:
            before, begun = None, live.numbers.copy()
            equations = Solver(live.structure, live.numbers, factors)
            agreed = equations.settle()
            restless = not agreed or equations.restless()
            found = Settled(live.structure, begun, factors, live.numbers, restless)
        live = live._replace(
            numbers=found.numbers, at=world.now, restless=found.restless, pace=math.inf
        )
        written = None if before is None or state.deadly else before.structure
        state = state._replace(live=live, marks=_marks(live), number=state.number + 1)
        keep(world, state)
        deadly = remember_all(world, equations, written)
        keep(world, state_of(world)._replace(deadly=deadly))
        keep_settled(world, found)
        if live.restless:
            _plan_step(world, live)
        upcoming = live.next_change(world.now)
        if upcoming is not None and state.load_at != upcoming:
            keep(world, state_of(world)._replace(load_at=upcoming))
            world.after(upcoming - world.now, "traffic.load")


def _built(world: World) -> tuple[Structure, _Generators, DependencyTracker]:
    """Who calls whom now, and what that was read from."""
    builder = Builder(world)
    generators = builder.footing.at(_generators, world)
    for process, program in generators:
        add_source(builder, process, program)
    for process, consuming in builder.footing.at(_consumers, world):
        builder.consumer(process, consuming)
    for ref, work in builder.footing.at(working, world):
        builder.work(ref, work)
    return builder.finished(), generators, builder.footing


def _generators(world: World) -> _Generators:
    return tuple(world.service(RUNTIME).load_generators(world))


def _consumers(world: World) -> tuple[tuple[Process, ServiceProgram], ...]:
    found = world.service(RUNTIME).consumers(world)
    return tuple(entry for entry in found if not entry[0].stopped)


def _pass_time(world: World) -> None:
    """Bring what evolves to this moment."""
    state = state_of(world)
    live = state.live
    if live is None or world.now <= live.at:
        return
    if not live.restless and not live.structure.queues:
        return
    numbers = live.numbers.copy()
    equations = Solver(live.structure, numbers, live.factors(live.at))
    moved = equations.advance(world.now - live.at)
    pace = moved / (world.now - live.at)
    log_breaker_changes(world, live.structure, live.numbers, numbers)
    live = live._replace(
        numbers=numbers, at=world.now, restless=moved > _still(world, live), pace=pace
    )
    keep(world, state._replace(live=live))


def _still(world: World, live: Live) -> float:
    """What moves by less has come to rest; closed loops may tremble around a full server for ever."""
    trembles = any(source.users for source in live.structure.sources)
    return _TREMBLE if trembles and world.now - live.since > _LONG_S else _STILL


def _crowd(world: World) -> float:
    """How many times rarer than usual a system of this size is looked at."""
    return max(1.0, world.store.count("pods") / _MANY)


def _plan_step(world: World, live: Live) -> None:
    elapsed = world.now - live.since
    seconds = next(step for until, step in _STEPS_S if elapsed < until)
    noticed_s = _NOTICED / live.pace if live.pace else math.inf
    seconds = max(seconds, min(noticed_s, _RAREST_S))
    seconds = min(seconds * _crowd(world), max(1.0, soonest(live.structure, live.numbers)))
    world.after(seconds, "traffic.step", state_of(world).number)


def _marks(live: Live) -> tuple[tuple[float, ...], ...]:
    servers = range(len(live.structure.servers))
    queues = (queue_mark(queue, live.numbers) for queue in live.structure.queues)
    return (*(mark(live.structure, live.numbers, index) for index in servers), *queues)


def _alone(world: World, ref: ContainerRef, operation: str) -> tuple[FlowStats, int]:
    """The account of one operation as it would answer now, and its index there."""
    builder = Builder(world)
    index = builder.operation(ref, operation)
    structure = builder.finished(whole=False)
    numbers = FlowState(structure)
    live = state_of(world).live
    if live is not None:
        Carried(live.structure, live.numbers).give(structure, numbers)
    equations = Solver(structure, numbers, [])
    equations.queue(0.0)
    equations.answer()
    return FlowStats(equations), index
