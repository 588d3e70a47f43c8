"""The life of one episode: provision, break, let the agent act, judge, recover, record.

Whatever raises on the way, an agent, an oracle, an injector, or Ctrl-C, the world is recovered and
a record is written. Only what the agent did can fail an episode; a wrong world makes it an error.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from sregym_core.conductor import account, grading
from sregym_core.conductor.acting import in_time
from sregym_core.conductor.attribution import blamed
from sregym_core.conductor.episode_noise import noise_of
from sregym_core.conductor.episode_resources import account_of, resources_of, served_in
from sregym_core.conductor.facts import facts_of
from sregym_core.conductor.grades import Grades
from sregym_core.conductor.injection import SpoiledError
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.progress import Progress
from sregym_core.conductor.recovery import recover
from sregym_core.conductor.repairs import RepairWatch
from sregym_core.conductor.rewarding import rewarded
from sregym_core.conductor.session import LiveSession
from sregym_core.conductor.setup import Setup
from sregym_core.conductor.states import Found
from sregym_core.conductor.timeline import Timeline
from sregym_core.conductor.weak_method import weak_method
from sregym_core.error_location import must_propagate
from sregym_core.errors import (
    BudgetExceededError,
    MissingCapabilityError,
    SregymError,
    UsageError,
    WorldError,
)
from sregym_core.events import (
    AgentStarted,
    AgentStopped,
    EpisodeFinished,
    EpisodeStarted,
    Recovered,
)
from sregym_core.interfaces import BriefingContext, ClusterError, Stage
from sregym_core.model import EpisodeRecord, Outcome, RepairRecord, outcome_of
from sregym_core.policy import Policy
from sregym_core.policy.role import on_call
from sregym_core.records import keep_log

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.worlds import World, Worlds
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Agent, Cluster, EpisodeNoise, OracleContext
    from sregym_core.model import Claims

# The reason of an episode that Ctrl-C or a signal ended.
INTERRUPTED = "interrupted by the user"


class EpisodePlayer:
    """Plays one episode: `begin`, then `act` as often as there is something to do, then `finish`.

    `play` does all three with an adapter. None of them raises what an episode can cause.

    Args:
        factory: What episodes are put together from.
        worlds: Where worlds come from.
        plan: What to play.
        listener: Called as `listener(episode, event)` for each event.

    Attributes:
        interrupted: Whether the user pressed Ctrl-C.
        refusal: Why the user's request cannot be met, a port in use for instance; None without one.
    """

    def __init__(
        self,
        factory: ComponentFactory,
        worlds: Worlds,
        plan: EpisodePlan,
        listener: Callable[[str, EpisodeEvent], None] | None = None,
    ) -> None:
        self.plan = plan
        self.interrupted = False
        self.refusal: UsageError | None = None
        self._bench = factory
        self._worlds = worlds
        self._application = worlds.application(factory.application(plan.problem.application))
        self._timeline = Timeline(plan.episode, factory.plugins, listener)
        file = None if plan.folder is None else plan.folder / "journal.jsonl"
        self._journal = UndoJournal(file, plan.seal)
        self._progress = Progress(self._timeline.record)
        self._setup = Setup(
            factory, worlds, plan, self._application, self._timeline, self._journal, self._progress
        )
        self._noise: EpisodeNoise | None = None
        self._session: LiveSession | None = None
        self._grades = Grades(factory, plan, self._timeline)
        self._found: Found | None = None
        self._watch: RepairWatch | None = None
        self._repair: RepairRecord | None = None
        self._problem_with_world = ""
        self._skipped = False
        self._agent_error = ""
        self._agent_began: float | None = None
        self._recovered = False

    @property
    def session(self) -> LiveSession | None:
        """The agent's session; None before `begin`, and where there is no world for it."""
        return self._session

    @property
    def cluster(self) -> Cluster:
        """Where it is played, with all rights.

        Raises:
            WorldError: It has no world yet.
        """
        return self._require_world().cluster

    @property
    def at_s(self) -> float:
        """Seconds on the episode's clock since it began."""
        return self._timeline.at_s()

    @property
    def stopped(self) -> str:
        """Why the agent cannot go on: a used-up budget, a world that is not right; else empty."""
        return self._problem_with_world or self._agent_error

    def play(self, agent: Agent) -> EpisodeRecord:
        """Let an adapter play it to its record."""
        self.begin()
        self.act(agent.run)
        return self.finish()

    def begin(self) -> None:
        """Make the world, break it and open the session; `stopped` says what is not right."""
        plan, cluster = self.plan, self._worlds.provider.name
        started = EpisodeStarted(plan.problem.id, plan.agent.name, plan.seed, cluster)
        self._timeline.record(started)
        self._contained(self._setup.prepare)
        if not self._problem_with_world:
            self._contained(self._open_session)

    def act(self, part: Callable[[LiveSession], object]) -> None:
        """Let the agent act: `part` gets the session. What it raises ends the agent's part."""
        session = self._session
        if session is not None and not self.stopped:
            self._contained(lambda: self._act(part, session))

    def finish(self) -> EpisodeRecord:
        """End the agent's part, grade what is not graded yet, recover, and report."""
        try:
            session = self._session
            if session is not None:
                self._contained(lambda: self._end_agent(session))
                if not self._problem_with_world:
                    self._contained(self._grade_rest)
                self._contained(lambda: self._grades.ground(session.transcript, self._application))
        finally:
            if self.plan.recover:
                self._tear_down()
            else:
                self.drop()
        return rewarded(self._record(), self.plan.reward, lambda: self._setup.truths, self._blamed)

    def drop(self) -> None:
        """Give up without grading. A world of its own is thrown away, any other is recovered."""
        if self._worlds.provider.simulated:
            if self._setup.world is not None:
                self._setup.world.cluster.close()
        else:
            self._tear_down()

    def release(self) -> None:
        """Let go of an episode that is over, so that its world goes at once with who kept it."""
        self._session = None
        self._noise = None

    def fork(self) -> EpisodePlayer | None:
        """An equal episode that goes on by itself from this moment.

        None where the cluster cannot be forked, and once processes outside reach it.
        """
        session, noise = self._session, self._noise
        if session is None or session.opened is not None:
            return None
        setup = self._setup.fork()
        if setup is None:
            return None
        twin = copy(self)
        twin._setup, twin._timeline, twin._journal = setup, setup.timeline, setup.journal
        cluster = twin.cluster
        if noise is not None:
            twin._noise = noise.fork(cluster, twin._timeline.record, setup.journal)
        twin._grades = self._grades.fork(twin._timeline)
        twin._session = session.fork(
            cluster,
            twin._timeline,
            weak_method(twin._on_submit),
            weak_method(twin._before_call),
            twin._policy(),
            weak_method(twin._hear),
        )
        if session.resources is not None:
            world = twin._require_world()
            twin._session.give(session.resources.fork(served_in(world, self._application)))
        return twin

    def _contained(self, act: Callable[[], None]) -> None:
        """Do something; what it raises is what is wrong with the world."""
        try:
            act()
        except UsageError as error:
            self.refusal = error
            self._problem_with_world = str(error)
        except MissingCapabilityError as error:
            self._skipped, self._problem_with_world = True, str(error)
        except (SregymError, ClusterError) as error:
            self._problem_with_world = str(error)
        except BaseException as error:  # plugins raise SystemExit, too
            if not must_propagate(error):
                self._problem_with_world = self._blamed(error)
                return
            if not isinstance(error, KeyboardInterrupt):
                raise
            self.interrupted = True
            self._problem_with_world = f"{INTERRUPTED}{self._progress.where()}"

    def _open_session(self) -> None:
        plan, world, episode_setup = self.plan, self._require_world(), self._setup.episode_setup
        assert episode_setup is not None  # the set-up is over
        truths, alerts = self._setup.truths, episode_setup.alerts
        briefing = BriefingContext(self._application, truths, alerts, plan.seed)
        if plan.extra_setup is not None:
            plan.extra_setup(world.cluster, self._journal)
        broken = episode_setup.injection.injected_at_s is not None or not plan.inject
        self._found = Found.of(world.cluster, self._application, broken=broken)
        self._noise = noise_of(self._bench, plan, self._setup, world.cluster, self._worlds.salt)
        if self._noise is not None:
            self._noise.lead()
        self._session = LiveSession(
            world.cluster,
            self._timeline,
            plan.mode.instruction(briefing),
            self._application.namespaces,
            plan.budget,
            grading.reference(self._setup.faults, truths) if plan.agent.privileged else None,
            weak_method(self._on_submit),
            weak_method(self._before_call),
            self._policy(),
            task=plan.mode.task,
            alerts=alerts,
            hear=weak_method(self._hear),
            toolset=self._bench.toolset,
        )
        self._session.give(resources_of(plan, world, self._application))
        if plan.agent.served:  # time leaps when a world is opened: that is not the agent's
            before = world.cluster.clock.now()
            self._session.access()
            if self._noise is not None:
                self._noise.leapt(world.cluster.clock.now() - before)
        episode_setup.agent_starts()
        self._agent_began = self._timeline.at_s()
        if not plan.brief:
            self._watch = RepairWatch.begin(world.cluster, self._application)
        self._timeline.record(AgentStarted(plan.agent.name, plan.agent.privileged, plan.mode.name))

    def _act(self, part: Callable[[LiveSession], object], session: LiveSession) -> None:
        try:
            in_time(part, session)
        except (BudgetExceededError, SpoiledError) as error:
            self._agent_error = str(error)
        except SregymError:
            raise
        except BaseException as error:
            if must_propagate(error):
                raise
            self._agent_error = f"the agent raised {self._blamed(error)}"

    def _end_agent(self, session: LiveSession) -> None:
        self._require_world().cluster.interrupt()
        if self._agent_began is not None:
            self._timeline.record(AgentStopped(self._agent_error))
        if self._noise is not None:
            self._noise.stop()
        if session.opened is not None and self.plan.folder is not None:
            keep_log(session.opened, self.plan.folder, self.plan.seal)
        if self._setup.episode_setup is None or self._problem_with_world:
            return
        try:
            self._setup.episode_setup.injection.complete()
        except SpoiledError as error:
            self._agent_error = str(error)

    def _before_call(self) -> None:
        """What is due on the episode's clock happens before the agent's next call."""
        if self._setup.episode_setup is not None:
            self._setup.episode_setup.injection.due()
        if self._noise is not None:
            self._noise.due()

    def _hear(self, stage: Stage, text: str, claims: Claims | None) -> str:
        watch = None if self._setup.episode_setup is None else self._setup.episode_setup.watch
        return "" if watch is None else watch.hear(stage, text, claims)

    def _policy(self) -> Policy:
        journal, cluster = self._journal, self._require_world().cluster
        debugged = self._application.namespaces if cluster.nodes_are_apart else ()
        return Policy(lambda: journal.redacted, on_call(self._worlds.suffix), debugged)

    def _on_submit(self, stage: Stage, text: str, claims: Claims | None) -> None:
        world = self._require_world()
        self._grades.submitted(stage, text, claims, self._facts(world))

    def _grade_rest(self) -> None:
        world = self._require_world()
        facts = self._facts(world)
        clock, timing, watch = world.cluster.clock, self.plan.problem.timing, self._watch
        with self._progress.phase(clock, "grading", timing.repair_s + timing.window_s) as phase:
            phase.look()
            ended = None if watch is None else watch.end(facts)
            self._grades.rest(self._agent_error, facts)
            if ended is not None and Stage.MITIGATION in self.plan.mode.judged:
                self._repair = ended.judged(facts)
        if self.plan.relapse_s > 0 and Stage.MITIGATION in self.plan.mode.judged:
            world.cluster.clock.advance(self.plan.relapse_s)
            self._grades.mitigation(facts)

    def _facts(self, world: World) -> OracleContext:
        return facts_of(world, self.plan, self._setup, self._found, self._worlds.salt)

    def _tear_down(self) -> None:
        world = self._setup.world
        if world is None:
            return
        difference = ""
        try:
            world.cluster.interrupt()
            difference = recover(
                world, self._application, self._setup.faults, self._journal, self._progress
            )
        except (SregymError, ClusterError) as error:
            difference = f"recovery failed: {error}"
        except BaseException as error:
            if not must_propagate(error):
                difference = f"recovery failed: {self._blamed(error)}"
            elif isinstance(error, KeyboardInterrupt):
                self.interrupted = True
                difference = "recovery was interrupted by the user"
            else:
                raise
        finally:
            self._recovered = not difference
            self._timeline.record(Recovered(not difference, difference))
            self._contained(world.cluster.close)

    def _record(self) -> EpisodeRecord:
        both = map(self._grades.stages.get, (Stage.DIAGNOSIS, Stage.MITIGATION))
        outcome, reason = outcome_of(self._problem_with_world, *both)
        outcome = Outcome.SKIP if self._skipped else outcome
        self._timeline.record(EpisodeFinished(outcome, reason))
        return EpisodeRecord(
            salt=self._worlds.salt,
            cluster=self._worlds.provider.name,
            outcome=outcome,
            reason=reason,
            recovered=self._recovered,
            repair=self._repair,
            truths=self._grades.ground_truths,
            stopped=self._agent_error,
            **account.of_plan(self.plan),
            **account.of_episode_setup(self._setup.episode_setup),
            **account.of_timeline(self._timeline),
            **account.of_stages(self._grades.stages, self._agent_began, self._setup.episode_setup),
            **account.of_noise(self.plan, self._noise, self._timeline, self._grades),
            **account_of(self._session, self._setup.world, self.at_s),
            **account.of_session(self._session),
        )

    def _blamed(self, error: BaseException) -> str:
        return blamed(error, self._bench.registry)

    def _require_world(self) -> World:
        if self._setup.world is None:
            msg = "the episode has no world yet"
            raise WorldError(msg)
        return self._setup.world
