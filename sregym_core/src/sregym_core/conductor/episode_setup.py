"""What happens between a warm world and the agent's start, as the mode of the episode wants it."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.injection import moment_within
from sregym_core.conductor.watch import Watch
from sregym_core.events import AlertsAwaited
from sregym_core.interfaces import EpisodeRoutineContext

if TYPE_CHECKING:
    from sregym_core.conductor.injection import Injection
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.starts import Start
    from sregym_core.conductor.timeline import Timeline
    from sregym_core.conductor.worlds import World, Worlds
    from sregym_core.interfaces import Application


class EpisodeSetup:
    """Breaks the world, or makes sure that it will break while the agent watches.

    Args:
        plan: The episode.
        injection: Its faults.
        timeline: Where events are recorded.

    Attributes:
        injection: Its faults.
        alerts: Those that are reported to the agent; None for none.
        watch: Takes what a watching agent hands in; None where the agent does not watch.
    """

    def __init__(self, plan: EpisodePlan, injection: Injection, timeline: Timeline) -> None:
        self.alerts: dict[str, Any] | None = None
        self.watch = Watch(timeline, injection.happened) if plan.mode.watching else None
        self._plan = plan
        self.injection = injection
        self._timeline = timeline
        self._salt = ""

    def fork(self, injection: Injection, timeline: Timeline) -> EpisodeSetup:
        """An equal one that goes on by itself."""
        twin = copy(self)
        twin.injection, twin._timeline = injection, timeline
        twin.watch = None if self.watch is None else self.watch.fork(timeline, injection.happened)
        return twin

    def take_over(self, start: Start) -> None:
        """All this happened in the world of which this one is a fork."""
        self.alerts = start.alerts
        self.injection.take_over(start.injected_at_s)

    @property
    def _late(self) -> float | None:
        """Within what time of the agent's start the world breaks; None for before it, or never."""
        return self._plan.start_before_s if self._plan.inject else None

    def play(self, worlds: Worlds, world: World, application: Application) -> None:
        """All that comes before the agent.

        Raises:
            WorldError: A fault has no effect, or Alertmanager cannot be queried.
        """
        self._salt = worlds.salt
        routines = worlds.routines if self._plan.routine and self._late is None else ()
        if self._late is not None:
            world.cluster.operations.wait_for_quiet()
            copied = worlds.copy_of(world, application, self._plan.seed)
            if copied is not None:
                try:
                    self.injection.rehearse(copied)
                finally:
                    copied.cluster.close()
        else:
            if self._plan.inject:
                self.injection.now()
            for routine in routines:
                # Before the agent comes: the same seed is the same world.
                routine.after_fault(self._lived_in(world, application))
        if self._plan.mode.alerted:
            self._wait_for_alerts(world)
        for routine in routines:
            routine.before_agent(self._lived_in(world, application))

    def _lived_in(self, world: World, application: Application) -> EpisodeRoutineContext:
        return EpisodeRoutineContext(
            world.cluster,
            application,
            self._plan.seed,
            self._plan.problem.id,
            self.injection.journal,
            self.injection.involved(),
            self.injection.broken(),
        )

    def agent_starts(self) -> None:
        """From now on the time runs within which the world breaks."""
        if self._late is not None:
            self.injection.plan(moment_within(self._late, self._plan.seed, self._salt))

    def account(self) -> dict[str, Any]:
        """Its part of a record, by field."""
        return {
            "alerts": self.alerts,
            "injected_at_s": self.injection.injected_at_s,
            "false_alarms": 0 if self.watch is None else self.watch.false_alarms,
        }

    def _wait_for_alerts(self, world: World) -> None:
        began = self._timeline.at_s()
        since = world.cluster.clock.now() - (began - (self.injection.injected_at_s or 0.0))
        self.alerts = world.cluster.operations.wait_for_alerts(since)
        count = 0 if self.alerts is None else len(self.alerts["alerts"])
        self._timeline.record(AlertsAwaited(count, round(self._timeline.at_s() - began, 3)))
