"""From nothing to the world in which an agent starts: deployed, warm, and broken as planned."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from sregym_core.conductor.episode_setup import EpisodeSetup
from sregym_core.conductor.injection import Injection, rebound
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.starts import Start
from sregym_core.error_location import check_returned
from sregym_core.events import ApplicationDeployed, BaselineTaken
from sregym_core.interfaces import EpisodeRoutineContext
from sregym_core.model import GroundTruth

if TYPE_CHECKING:
    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.injection import Faults
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.progress import Progress
    from sregym_core.conductor.timeline import Timeline
    from sregym_core.conductor.worlds import World, Worlds
    from sregym_core.interfaces import Application, Checkpoint, SystemState

# Seconds from the healthy world of a served episode to its agent's start in which most have broken.
BREAKS_WITHIN_S = 900.0


class Setup:
    """The world of one episode and what was done to it before its agent starts.

    Args:
        factory: What episodes are put together from.
        worlds: Where worlds come from.
        plan: The episode.
        application: What runs.
        timeline: Where events are recorded.
        journal: Where faults note how they are undone.
        progress: Receives what is waited for.

    Attributes:
        world: None before there is one.
        application: What runs in it.
        states: What was worked out of the world as the agent finds it, by all episodes that start so.
        episode_setup: How the faults come; None before there is a world.
    """

    def __init__(
        self,
        factory: ComponentFactory,
        worlds: Worlds,
        plan: EpisodePlan,
        application: Application,
        timeline: Timeline,
        journal: UndoJournal,
        progress: Progress,
    ) -> None:
        self._progress = progress
        self.timeline = timeline
        self.journal = journal
        self.world: World | None = None
        self.episode_setup: EpisodeSetup | None = None
        self.states: dict[str, SystemState] = {}
        self._bench = factory
        self._worlds = worlds
        self._plan = plan
        self.application = application

    @property
    def faults(self) -> Faults:
        """Each with what it works with; none before there is a world.

        Targets that a problem leaves open are as they stand until the fault comes, and stay then.
        """
        return () if self.episode_setup is None else self.episode_setup.injection.faults

    @property
    def truths(self) -> tuple[GroundTruth, ...]:
        """Their ground truths."""
        return tuple(
            check_returned(fault, "ground_truth", fault.ground_truth(context), GroundTruth)
            for fault, context in self.faults
        )

    def prepare(self) -> None:
        """Do it all; a fork of a world that was broken before is taken where there is one.

        Raises:
            UsageError: The problem cannot be played.
            WorldError: The world is not right: a fault without effect, for instance.
        """
        plan = self._plan
        self._bench.check(plan.problem)
        key = plan.start_key
        start = None if key is None else self._worlds.starts.get(key)
        world = self.world = self._healthy() if start is None else self._started(start)
        faults = self._bench.faults_in_context(
            plan.problem,
            self.application,
            world.cluster,
            self.journal,
            plan.seed,
            None if start is None else start.targets,
        )
        injection = Injection(
            plan.problem,
            faults,
            world,
            self.application,
            self.timeline,
            self._bench.choose_again,
            self._progress,
        )
        episode_setup = self.episode_setup = EpisodeSetup(plan, injection, self.timeline)
        _ = self.truths  # a fault that cannot tell its own says so before anything breaks
        if start is not None:
            self.journal.take_over(start.journal)
            episode_setup.take_over(start)
            self.states = start.states
            return
        episode_setup.play(self._worlds, world, self.application)
        checkpoint = None if key is None else world.cluster.checkpoint()
        if key is not None and checkpoint is not None:
            start = self._start(checkpoint, world, episode_setup)
            self._worlds.starts.keep(key, start)
            self.states = start.states

    def fork(self) -> Setup | None:
        """An equal one that goes on by itself; None where the cluster cannot be forked."""
        world, episode_setup = self.world, self.episode_setup
        if world is None or episode_setup is None:
            return None
        copied = self._worlds.copy_of(world, self.application, self._plan.seed)
        if copied is None:
            return None
        twin = copy(self)
        twin.world = copied
        twin.timeline = self.timeline.fork(copied.cluster.clock)
        twin.journal = UndoJournal()
        twin.journal.take_over(self.journal.entries)
        faults = rebound(self.faults, copied.cluster, twin.journal)
        injection = episode_setup.injection.fork(faults, copied, twin.timeline)
        twin.episode_setup = episode_setup.fork(injection, twin.timeline)
        return twin

    def _healthy(self) -> World:
        plan, timeline = self._plan, self.timeline
        warm_up_s = plan.problem.timing.warm_up_s
        world = self._worlds.make(
            self.application,
            warm_up_s,
            plan.seed,
            plan.agent.served,
            plan.session_folder,
            self._progress,
        )
        self.world = world  # from here on there is something to give back
        context = EpisodeRoutineContext(
            world.cluster, self.application, plan.seed, plan.problem.id, self.journal
        )
        for routine in self._worlds.routines:
            routine.before_fault(context)
        if plan.agent.served:  # what is left passes while the world is broken
            world.cluster.approach_wall_clock(BREAKS_WITHIN_S)
        timeline.follow(world.cluster.clock)
        timeline.record(ApplicationDeployed(self.application.name, world.forked))
        baseline = world.baseline
        taken = BaselineTaken(len(baseline.objects), round(baseline.traffic.success_rate, 4))
        timeline.record(taken)
        return world

    def _started(self, start: Start) -> World:
        """A fork of a world that is broken already; the timeline tells how that came about."""
        world = self._worlds.start_from(start, self.application, self._plan.seed)
        self.timeline.follow(world.cluster.clock, start.began)
        for at_s, event in start.events:
            self.timeline.record(event, at_s)
        return world

    def _start(self, checkpoint: Checkpoint, world: World, episode_setup: EpisodeSetup) -> Start:
        return Start(
            checkpoint,
            world.baseline,
            tuple(context.target for _, context in self.faults),
            tuple(self.journal.entries),
            tuple(self.timeline.events[1:]),  # each episode tells of its own beginning
            self.timeline.began,
            episode_setup.injection.injected_at_s,
            episode_setup.alerts,
        )
