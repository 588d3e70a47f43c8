"""The faults of an episode, each at its moment: before the agent comes, or while it watches."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from sregym_core.conductor import grading
from sregym_core.conductor.journal import UndoJournal
from sregym_core.events import FaultConfirmed, FaultInjected

if TYPE_CHECKING:
    from sregym_core.conductor.timeline import Timeline
    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import Application, Fault, FaultContext
    from sregym_core.model import Problem

# No fault comes sooner after the agent's start than this share of the time that was given.
EARLIEST_SHARE = 0.1


class SpoiledError(Exception):
    """An agent changed a healthy system so that it cannot break any more as it should have."""


Faults = tuple[tuple["Fault", "FaultContext"], ...]


def moment_within(seconds: float, seed: int) -> float:
    """When the first fault comes: seconds after the agent's start, by the episode's seed."""
    chance = Random(f"moment of the first fault, seed {seed}")  # noqa: S311 - a game, no secret
    return round(chance.uniform(EARLIEST_SHARE * seconds, seconds), 1)


class Injection:
    """Injects the faults of one episode.

    Args:
        problem: Whose faults.
        faults: In the order of the problem.
        world: Where.
        application: What runs there.
        timeline: Where injections are told.

    Attributes:
        injected_at_s: Episode seconds at which the first fault came; None before.
    """

    def __init__(
        self,
        problem: Problem,
        faults: Faults,
        world: World,
        application: Application,
        timeline: Timeline,
    ) -> None:
        self.injected_at_s: float | None = None
        self._problem = problem
        self._faults = faults
        self._world = world
        self._application = application
        self._timeline = timeline
        self._began: float | None = None
        self._rehearsed = False
        delays = [ref.after_s for ref in problem.faults]
        self._waiting = sorted(range(len(faults)), key=lambda index: (delays[index], index))

    def now(self) -> None:
        """Inject all, letting time pass between them, and wait until users notice.

        Raises:
            WorldError: A fault left no defect, or nobody noticed.
        """
        self._began = self._world.cluster.clock.now()
        self._inject_rest()

    def plan(self, seconds: float) -> None:
        """The first fault comes so much later; `due` and `complete` see to it."""
        self._began = self._world.cluster.clock.now() + seconds

    def due(self) -> None:
        """Inject what is planned for up to now.

        Raises:
            SpoiledError: It had no effect though it had on a copy of the system.
            WorldError: It had no effect, and nobody knows why.
        """
        while self._waiting and self._left(self._waiting[0]) <= 0:
            self._inject_late(self._waiting[0])
            del self._waiting[0]

    def happened(self) -> bool:
        """Whether something is wrong by now."""
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

    def rehearse(self, copy: World) -> None:
        """Break a copy of the world: what will come while an agent watches must work.

        Raises:
            WorldError: A fault left no defect, or nobody noticed.
        """
        copies = tuple(
            (fault, replace(context, cluster=copy.cluster, journal=UndoJournal()))
            for fault, context in self._faults
        )
        for index in self._waiting:
            fault, context = copies[index]
            fault.inject(context)
        grading.confirm(self._problem, copies, copy, self._application)
        self._rehearsed = True

    def _inject_rest(self) -> None:
        while self._waiting:
            index = self._waiting.pop(0)
            self._world.cluster.clock.advance(max(0.0, self._left(index)))
            self._inject(index)
        rate = grading.confirm(self._problem, self._faults, self._world, self._application)
        self._timeline.record(FaultConfirmed(round(rate, 4), self._problem.silent))

    def _inject_late(self, index: int) -> None:
        try:
            self._inject(index)
            grading.confirm_present((self._faults[index],))
        except Exception as error:
            if not self._rehearsed:
                raise
            msg = f"the agent changed the healthy system so that it could not break: {error}"
            raise SpoiledError(msg) from error

    def _inject(self, index: int) -> None:
        fault, context = self._faults[index]
        if self.injected_at_s is None:
            self.injected_at_s = self._timeline.at_s()
        fault.inject(context)
        self._timeline.record(FaultInjected(fault.name, context.component.name))

    def _left(self, index: int) -> float:
        """Seconds until a fault is due."""
        began = self._began
        if began is None:
            return float("inf")
        return began + self._problem.faults[index].after_s - self._world.cluster.clock.now()
