"""The traffic of a world at one moment, and what of it is worth remembering."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.traffic.load_schedules import factor, next_change

if TYPE_CHECKING:
    from sregym_apps.model import LoadGeneratorProgram

    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import Queue, Structure
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_STATE: TableKey[str, State] = TableKey("traffic.state")
_NOW = "now"
# While something evolves, what has changed by less than this fraction is not written down.
_NEAR = 0.01
_NOTHING = 1e-4


class Live(NamedTuple):
    """Structure and numbers of this moment; kept in a table of the world, never edited.

    Attributes:
        structure: Who calls whom.
        numbers: How much, how fast, how well.
        generators: The load generators, as they were when the structure was built.
        since: When something changed last from outside.
        at: Virtual second of the numbers.
        restless: Whether they change by themselves.
        pace: How much of themselves they changed a second, last; infinite when that is not known.
    """

    structure: Structure
    numbers: FlowState
    generators: tuple[tuple[Process, LoadGeneratorProgram], ...]
    since: float
    at: float = 0.0
    restless: bool = False
    pace: float = math.inf

    def factors(self, now: float) -> list[float]:
        """What the load of each generator is multiplied with."""
        return [
            factor(program, now - (process.served_at or 0.0), _facts(process, program))
            for process, program in self.generators
        ]

    def next_change(self, now: float) -> float | None:
        """When one of the factors may change next; None for never."""
        moments = []
        for process, program in self.generators:
            began = process.served_at or 0.0
            upcoming = next_change(program, now - began, _facts(process, program))
            if upcoming is not None:
                moments.append(began + upcoming)
        return min(moments, default=None)

    def __repr__(self) -> str:
        return f"Live({self.numbers!r}, {self.since}, {self.at}, {self.restless})"


def _facts(process: Process, program: LoadGeneratorProgram) -> dict[str, str]:
    """What the stages of a load generator may refer to."""
    return process.facts() if program.stages else {}


Mark = tuple[float, ...]


class State(NamedTuple):
    """What is kept of the traffic; never edited.

    Attributes:
        live: The traffic; None before it was first solved.
        footing: What the structure of `live` was built from.
        due: Whether it is to be solved soon because something has changed.
        solved_at: Virtual second at which it was last solved.
        marks: Of each server and queue, what was last written down.
        number: Of the last change from outside; steps of an earlier one come to nothing.
        deadly: Whether requests may end processes.
        load_at: Virtual second for which the next change of load is planned.
    """

    live: Live | None = None
    footing: DependencyTracker | None = None
    due: bool = False
    solved_at: float = float("-inf")
    marks: tuple[Mark, ...] = ()
    number: int = 0
    deadly: bool = False
    load_at: float | None = None

    def at_rest(self) -> bool:
        """Whether nothing more comes of what flows while the structure stays as it is."""
        live = self.live
        return (
            live is not None
            and not live.restless
            and not any(live.numbers.waiting)
            and not self.deadly
        )


def state_of(world: World) -> State:
    """What is kept now."""
    return world.table(_STATE).get(_NOW, _NOTHING_YET)


def keep(world: World, state: State) -> None:
    """Keep this from now on."""
    world.table(_STATE)[_NOW] = state


_NOTHING_YET = State()


def mark(structure: Structure, numbers: FlowState, index: int) -> Mark:
    """What of a server is compared to tell whether it has changed."""
    server = structure.servers[index]
    found = [numbers.waiting[index], numbers.dropped[index], numbers.rejected[index]]
    found.append(numbers.computed[index])
    for spot in server.operations:
        found += (numbers.rate[spot], numbers.ok[spot], numbers.mean[spot], numbers.failed[spot])
        found += [numbers.attempts[site.index] for site in structure.operations[spot].sites]
    return tuple(found)


def queue_mark(queue: Queue, numbers: FlowState) -> Mark:
    """The same of a queue."""
    spots = range(queue.first, queue.first + queue.partitions)
    return tuple(
        number
        for spot in spots
        for number in (numbers.come[spot], numbers.progress[spot], float(numbers.ahead[spot] <= 0))
    )


def near(one: Mark, other: Mark) -> bool:
    """Whether two marks of a server are about the same."""
    return all(
        a == b or abs(a - b) <= _NEAR * max(abs(a), abs(b)) + _NOTHING
        for a, b in zip(one, other, strict=True)
    )
