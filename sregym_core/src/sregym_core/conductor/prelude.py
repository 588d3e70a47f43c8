"""What happens between a warm world and the agent's start, as the mode of the episode wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.conductor.alerts import wait_for_alerts, wait_for_quiet
from sregym_core.conductor.injection import moment_within
from sregym_core.conductor.watch import Watch
from sregym_core.events import AlertsAwaited

if TYPE_CHECKING:
    from sregym_core.conductor.episode import EpisodePlan
    from sregym_core.conductor.injection import Injection
    from sregym_core.conductor.timeline import Timeline
    from sregym_core.conductor.worlds import World, Worlds
    from sregym_core.interfaces import Application


class Prelude:
    """Breaks the world, or makes sure that it will break while the agent watches.

    Args:
        plan: The episode.
        injection: Its faults.
        timeline: Where what happens is told.

    Attributes:
        injection: Its faults.
        alerts: Those that the agent is told of; None for none.
        watch: Takes what a watching agent hands in; None where nobody watches.
    """

    def __init__(self, plan: EpisodePlan, injection: Injection, timeline: Timeline) -> None:
        self.alerts: dict[str, Any] | None = None
        self.watch = Watch(timeline, injection.happened) if plan.mode.watching else None
        self._plan = plan
        self.injection = injection
        self._timeline = timeline

    @property
    def _late(self) -> float | None:
        """Within what time of the agent's start the world breaks; None for before it, or never."""
        return self._plan.start_before_s if self._plan.inject else None

    def play(self, worlds: Worlds, world: World, application: Application) -> None:
        """All that comes before the agent.

        Raises:
            WorldError: A fault has no effect, or alerts cannot be asked for.
        """
        if self._late is not None:
            wait_for_quiet(world.cluster)
            copy = worlds.copy_of(world, application, self._plan.seed)
            if copy is not None:
                try:
                    self.injection.rehearse(copy)
                finally:
                    copy.cluster.close()
        elif self._plan.inject:
            self.injection.now()
        if self._plan.mode.alerted:
            self._wait_for_alerts(world)

    def agent_starts(self) -> None:
        """From now on the time runs within which the world breaks."""
        if self._late is not None:
            self.injection.plan(moment_within(self._late, self._plan.seed))

    def account(self) -> dict[str, Any]:
        """What a record tells of it, by its fields."""
        return {
            "alerts": self.alerts,
            "injected_at_s": self.injection.injected_at_s,
            "false_alarms": 0 if self.watch is None else self.watch.false_alarms,
        }

    def _wait_for_alerts(self, world: World) -> None:
        began = self._timeline.at_s()
        since = world.cluster.clock.now() - (began - (self.injection.injected_at_s or 0.0))
        self.alerts = wait_for_alerts(world.cluster, since)
        count = 0 if self.alerts is None else len(self.alerts["alerts"])
        self._timeline.record(AlertsAwaited(count, round(self._timeline.at_s() - began, 3)))
