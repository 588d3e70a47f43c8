"""The faults of an episode, each at its moment: before the agent comes, or while it watches."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from sregym_core.conductor import grading
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.progress import Progress
from sregym_core.conductor.targets import is_open
from sregym_core.events import FaultConfirmed, FaultInjected
from sregym_core.model import name_of
from sregym_core.salt import salted_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import Application, Cluster, Fault, FaultContext, Journal
    from sregym_core.model import FaultTarget, Problem, Target

# No fault comes sooner after the agent's start than this share of the time that was given.
EARLIEST_SHARE = 0.1
# Seconds between the healthy baseline and the first fault that comes before the agent.
QUIET_S = (23.0, 240.0)
# Multiples of this many seconds are round.
ROUND_S = 5


class SpoiledError(Exception):
    """An agent changed a healthy system so that it cannot break any more as it should have."""


Faults = tuple[tuple["Fault", "FaultContext"], ...]


def moment_within(seconds: float, seed: int, salt: str) -> float:
    """When the first fault comes: seconds after the agent's start, by the episode's seed and salt."""
    # One number is drawn, from a seed that is secret: nobody sees others to conclude from.
    chance = Random(salted_seed(salt, "moment of the first fault", seed))  # noqa: S311
    return round(chance.uniform(EARLIEST_SHARE * seconds, seconds), 1)


def rebound(faults: Faults, cluster: Cluster, journal: UndoJournal) -> Faults:
    """The same faults with another cluster and journal to work with."""
    return tuple(
        (fault, replace(context, cluster=cluster, journal=journal)) for fault, context in faults
    )


class Injection:
    """Injects the faults of one episode.

    Args:
        problem: Whose faults.
        faults: In the order of the problem.
        world: Where.
        application: What runs there.
        timeline: Where injections are recorded.
        choose: Gives the target of the fault of an index when it comes, for those that leave open
            which node or zone is meant; None keeps the targets as they are.
        progress: Receives what is waited for.

    Attributes:
        faults: With the targets that they have met, or will as things stand.
        injected_at_s: Episode seconds at which the first fault came; None before.
    """

    def __init__(
        self,
        problem: Problem,
        faults: Faults,
        world: World,
        application: Application,
        timeline: Timeline,
        choose: Callable[[Faults, int, Target], FaultTarget] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._progress = progress or Progress()
        self.injected_at_s: float | None = None
        self.faults = faults
        self._problem = problem
        self._choose = choose
        self._world = world
        self._application = application
        self._timeline = timeline
        self._began: float | None = None
        self._rehearsed = False
        delays = [ref.after_s for ref in problem.single_faults]
        self._waiting = sorted(range(len(faults)), key=lambda index: (delays[index], index))

    def fork(self, faults: Faults, world: World, timeline: Timeline) -> Injection:
        """An equal one that goes on by itself: with the faults bound to a forked world."""
        twin = copy(self)
        twin.faults, twin._world, twin._timeline = faults, world, timeline
        twin._waiting = list(self._waiting)
        return twin

    def take_over(self, injected_at_s: float | None) -> None:
        """All faults are in the world already: it is a fork of one that was broken before."""
        self.injected_at_s = injected_at_s
        self._waiting.clear()

    def now(self) -> None:
        """Inject all, letting time pass between them, and wait until users notice.

        Raises:
            WorldError: A fault left no defect, or no user noticed.
        """
        clock = self._world.cluster.clock
        seed = self.faults[0][1].seed if self.faults else 0
        clock.spend(Random(f"quiet before the fault, seed {seed}").uniform(*QUIET_S))  # noqa: S311
        self._began = clock.now()
        self._inject_rest()

    def plan(self, seconds: float) -> None:
        """The first fault comes so much later; `due` and `complete` see to it."""
        self._began = self._world.cluster.clock.now() + seconds

    def due(self) -> None:
        """Inject what is planned for up to now.

        Raises:
            SpoiledError: It had no effect though it had on a copy of the system.
            WorldError: It had no effect, for an unknown reason.
        """
        while self._waiting and self._left(self._waiting[0]) <= 0:
            self._inject_late(self._waiting[0])
            del self._waiting[0]

    def happened(self) -> bool:
        """Whether a fault is active by now."""
        self.due()
        return self.injected_at_s is not None

    def complete(self) -> None:
        """Inject what is still to come, at its moment: the agent did not stay for it.

        Raises:
            SpoiledError: As for `due`.
            WorldError: As for `due`.
        """
        while self._waiting and self._began is not None:
            self._world.cluster.clock.advance(max(0.0, self._left(self._waiting[0])))
            self.due()

    def rehearse(self, copied: World) -> None:
        """Break a copy of the world: what will come while an agent watches must work.

        Raises:
            WorldError: A fault left no defect, or no user noticed.
        """
        copies = rebound(self.faults, copied.cluster, UndoJournal())
        for index in self._waiting:
            fault, context = copies[index]
            fault.inject(context)
        grading.confirm(self._problem, copies, copied, self._application)
        self._rehearsed = True

    @property
    def journal(self) -> Journal:
        """Where undo steps of this episode go."""
        return self.faults[0][1].journal

    def involved(self) -> tuple[str, ...]:
        """Names of the components that are broken and of those that suffer from it."""
        names = [name for ref in self._problem.faults for name in ref.components]
        for fault, context in self.faults:
            names += fault.ground_truth(context).affected
        return tuple(dict.fromkeys(names))

    def broken(self) -> tuple[str, ...]:
        """Names of the components in which the faults are."""
        names = [name for ref in self._problem.faults for name in ref.components]
        names += [fault.ground_truth(context).component for fault, context in self.faults]
        return tuple(dict.fromkeys(names))

    def _inject_rest(self) -> None:
        while self._waiting:
            index = self._waiting.pop(0)
            self._world.cluster.clock.advance(max(0.0, self._left(index)))
            self._inject(index)
        rate = grading.confirm(
            self._problem, self.faults, self._world, self._application, self._progress
        )
        self._timeline.record(FaultConfirmed(round(rate, 4), self._problem.silent))

    def _inject_late(self, index: int) -> None:
        try:
            self._inject(index)
            mine = (self.faults[index],)
            grading.confirm_present(mine, self._world.cluster, self._application)
        except Exception as error:
            if not self._rehearsed:
                raise
            msg = f"the agent changed the healthy system so that it could not break: {error}"
            raise SpoiledError(msg) from error

    def _inject(self, index: int) -> None:
        fault, context = self._at_its_target(index)
        clock = context.cluster.clock
        if int(clock.now()) % ROUND_S == 0:  # nobody hits enter at a round second
            clock.spend(ROUND_S * 0.37)
        if self.injected_at_s is None:
            self.injected_at_s = self._timeline.at_s()
        asked = self._problem.single_faults[index].targets[0]
        if is_open(asked) and isinstance(context.journal, UndoJournal):
            context.journal.chosen(fault.name, str(asked), context.target)
        fault.inject(context)
        self._timeline.record(FaultInjected(fault.name, name_of(context.target)))

    def _at_its_target(self, index: int) -> tuple[Fault, FaultContext]:
        """A fault as it comes: where it is open which node is meant, that is decided now.

        Who watches or disturbs the system may have moved since what runs there.
        """
        fault, context = self.faults[index]
        asked = self._problem.single_faults[index].targets[0]
        if self._choose is None or not is_open(asked):
            return fault, context
        target = self._choose(self.faults, index, asked)
        chosen = (fault, replace(context, target=target))
        self.faults = (*self.faults[:index], chosen, *self.faults[index + 1 :])
        return chosen

    def _left(self, index: int) -> float:
        """Seconds until a fault is due."""
        began = self._began
        if began is None:
            return float("inf")
        return began + self._problem.single_faults[index].after_s - self._world.cluster.clock.now()
