"""The life of one episode: provision, break, let the agent act, judge, recover, record.

Whatever raises on the way, an agent, an oracle, an injector, or the user's Ctrl-C, the world is
recovered and a record is written. Only what the agent did can make an episode fail; a world that
was not right makes it an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_core.conductor import grading
from sregym_core.conductor.account import account
from sregym_core.conductor.injection import Injection, SpoiledError
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.noise import NoisePump
from sregym_core.conductor.prelude import Prelude
from sregym_core.conductor.recovery import recover, remaining_difference
from sregym_core.conductor.session import LiveSession
from sregym_core.conductor.timeline import Timeline
from sregym_core.errors import BudgetExceededError, SregymError, UsageError, WorldError
from sregym_core.events import (
    AgentStarted,
    AgentStopped,
    ApplicationDeployed,
    BaselineTaken,
    EpisodeFinished,
    EpisodeStarted,
    Recovered,
    StageGraded,
)
from sregym_core.interfaces import Budget, ClusterError, OracleContext, Reference, Stage
from sregym_core.model import EpisodeRecord, Outcome, StageRecord, Verdict
from sregym_core.modes import STANDARD, Mode, Scene
from sregym_core.policy import Policy
from sregym_core.policy.role import ON_CALL
from sregym_core.sessions import keep_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sregym_core.conductor.bench import Bench
    from sregym_core.conductor.worlds import World, Worlds
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Agent, Cluster, Fault, FaultContext, Journal
    from sregym_core.model import Claims, GroundTruth, Problem


@dataclass(frozen=True)
class EpisodePlan:
    """What one episode is.

    Attributes:
        episode: Id in its run.
        problem: What is broken.
        agent: The adapter, one instance for this episode.
        seed: Seed of the world.
        attempt: 1 for the first with the same problem and agent.
        budget: Limits of the agent.
        folder: Where the undo journal is written; None for memory only.
        session_folder: Where a served session keeps its files; None for a temporary folder.
        inject: False plays the healthy control: nothing is broken.
        relapse_s: When positive, the mitigation is judged again that much later.
        furnish: Puts into the broken world what is to be there besides, journaled like a fault.
        mode: How the episode is put to the agent.
        start_before_s: The agent starts in a healthy system, and it breaks within this time; None
            breaks it before the agent starts.
    """

    episode: str
    problem: Problem
    agent: Agent
    seed: int = 0
    attempt: int = 1
    budget: Budget = field(default_factory=Budget)
    folder: Path | None = None
    session_folder: Path | None = None
    inject: bool = True
    relapse_s: float = 0.0
    furnish: Callable[[Cluster, Journal], None] | None = None
    mode: Mode = STANDARD
    start_before_s: float | None = None


class EpisodePlayer:
    """Plays one episode.

    Args:
        bench: What episodes are put together from.
        worlds: Where worlds come from.
        plan: What to play.
        listener: Called as `listener(episode, event)` for each event.
    """

    def __init__(
        self,
        bench: Bench,
        worlds: Worlds,
        plan: EpisodePlan,
        listener: Callable[[str, EpisodeEvent], None] | None = None,
    ) -> None:
        self.plan = plan
        self.interrupted = False
        # What the user asked for cannot be, a port in use for instance: `up` says so in a line.
        self.refusal: UsageError | None = None
        self._bench = bench
        self._worlds = worlds
        self._application = bench.application(plan.problem.application)
        self._timeline = Timeline(plan.episode, bench.plugins, listener)
        file = None if plan.folder is None else plan.folder / "journal.jsonl"
        self._journal = UndoJournal(file)
        self._world: World | None = None
        self._faults: tuple[tuple[Fault, FaultContext], ...] = ()
        self._truths: tuple[GroundTruth, ...] = ()
        self._prelude: Prelude | None = None
        self._session: LiveSession | None = None
        self._stages: dict[Stage, StageRecord] = {}
        self._problem_with_world = ""
        self._agent_error = ""
        self._agent_began = 0.0
        self._recovered = False

    def play(self) -> EpisodeRecord:
        """Play it to its record; raises nothing that an episode can cause."""
        plan = self.plan
        started = EpisodeStarted(
            plan.problem.id, plan.agent.name, plan.seed, self._worlds.provider.name
        )
        self._timeline.record(started)
        try:
            self._set_up()
            self._run_agent()
            self._grade_rest()
        except KeyboardInterrupt:
            self.interrupted = True
            self._problem_with_world = "interrupted by the user"
        except UsageError as error:
            self.refusal = error
            self._problem_with_world = str(error)
        except (SregymError, ClusterError) as error:
            self._problem_with_world = str(error)
        except Exception as error:
            self._problem_with_world = f"{type(error).__name__}: {error}"
        finally:
            self._tear_down()
        return self._record()

    def _set_up(self) -> None:
        plan = self.plan
        problem = plan.problem
        self._bench.check(problem)
        timing = problem.timing
        world = self._worlds.make(
            self._application, timing.warm_up_s, plan.seed, plan.agent.served, plan.session_folder
        )
        self._world = world
        self._timeline.follow(world.cluster.clock)
        self._timeline.record(ApplicationDeployed(self._application.name, world.forked))
        baseline = world.baseline
        taken = BaselineTaken(len(baseline.objects), round(baseline.traffic.success_rate, 4))
        self._timeline.record(taken)
        self._faults = tuple(
            self._bench.fault_in_context(
                ref, self._application, world.cluster, self._journal, plan.seed
            )
            for ref in problem.faults
        )
        self._truths = tuple(fault.ground_truth(context) for fault, context in self._faults)
        injection = Injection(problem, self._faults, world, self._application, self._timeline)
        self._prelude = Prelude(plan, injection, self._timeline)
        self._prelude.play(self._worlds, world, self._application)

    def _run_agent(self) -> None:
        plan, world, prelude = self.plan, self._require_world(), self._prelude
        assert prelude is not None  # the set-up is over
        pumps: list[Callable[[], None]] = [prelude.injection.due]
        scene = Scene(self._application, self._truths, prelude.alerts)
        if plan.furnish is not None:
            plan.furnish(world.cluster, self._journal)
        reference = self._reference() if plan.agent.privileged else None
        self._session = LiveSession(
            world.cluster,
            self._timeline,
            plan.mode.instruction(scene),
            self._application.namespaces,
            plan.budget,
            reference,
            self._on_submit,
            lambda: _all(pumps),
            Policy(lambda: self._journal.concealed, ON_CALL),
            task=plan.mode.task,
            alerts=prelude.alerts,
            hear=None if prelude.watch is None else prelude.watch.hear,
        )
        if plan.agent.served:  # time leaps when a world is opened: that is not the agent's
            self._session.access()
        noise = self._noise(world)
        pumps.append(noise.due)
        prelude.agent_starts()
        self._agent_began = self._timeline.at_s()
        self._timeline.record(AgentStarted(plan.agent.name, plan.agent.privileged, plan.mode.name))
        try:
            plan.agent.run(self._session)
        except (BudgetExceededError, SpoiledError) as error:
            self._agent_error = str(error)
        except SregymError:
            raise
        except Exception as error:
            self._agent_error = f"the agent raised {type(error).__name__}: {error}"
        finally:
            self._timeline.record(AgentStopped(self._agent_error))
            noise.stop()
            if self._session.opened is not None and plan.folder is not None:
                keep_log(self._session.opened, plan.folder)
        try:
            prelude.injection.complete()
        except SpoiledError as error:
            self._agent_error = str(error)

    def _noise(self, world: World) -> NoisePump:
        problem = self.plan.problem
        return NoisePump(
            [self._bench.noise(name) for name in problem.noise],
            world.cluster,
            self._application,
            tuple(ref.target for ref in problem.faults),
            self.plan.seed,
            self._timeline,
        )

    def _reference(self) -> Reference:
        fixes = [fault.reference_fix(context) for fault, context in self._faults]
        return Reference(
            diagnosis=" ".join(truth.sentence() for truth in self._truths),
            claims=grading.true_claims(self._truths),
            fix=tuple(command for fix in fixes for command in fix),
        )

    def _on_submit(self, stage: Stage, text: str, claims: Claims | None) -> None:
        at_s = self._timeline.at_s()
        pending = Verdict(outcome=Outcome.ERROR, reason="not graded")
        record = StageRecord(text=text, claims=claims, submitted_at_s=at_s, verdict=pending)
        self._stages[stage] = record
        mode = self.plan.mode
        if stage is mode.submissions[-1]:  # what is judged and not handed in is judged with it
            for other in mode.judged:
                if other not in mode.submissions:
                    self._stages[other] = StageRecord(submitted_at_s=at_s, verdict=pending)
        if stage is Stage.DIAGNOSIS:
            self._grade(stage, self.plan.problem.oracles.diagnosis)

    def _grade_rest(self) -> None:
        """What was not handed in, and the state that was left behind."""
        judged = self.plan.mode.judged
        for stage in judged:
            if stage not in self._stages:
                reason = f"nothing was submitted; {self._agent_error}".rstrip("; ")
                verdict = Verdict(outcome=Outcome.FAIL, reason=reason)
                self._stages[stage] = StageRecord(verdict=verdict)
                if stage is Stage.DIAGNOSIS:
                    graded = StageGraded(str(stage), verdict.outcome, verdict.score, reason)
                    self._timeline.record(graded)
        if Stage.MITIGATION not in judged:
            return
        self._grade(Stage.MITIGATION, self.plan.problem.oracles.mitigation)
        if self.plan.relapse_s > 0:
            self._require_world().cluster.clock.advance(self.plan.relapse_s)
            self._grade(Stage.MITIGATION, self.plan.problem.oracles.mitigation)

    def _grade(self, stage: Stage, names: tuple[str, ...]) -> None:
        record = self._stages[stage]
        context = self._oracle_context(record)
        verdict = grading.judge([self._bench.oracle(name) for name in names], context)
        if record.submitted_at_s is None and verdict.outcome is Outcome.PASS:
            # A healthy system without a word from the agent is nobody's merit, but it is no
            # failure of the system either: the state is judged, the missing word is in the text.
            verdict = verdict.model_copy(
                update={"reason": "all checks passed; nothing was submitted"}
            )
        self._stages[stage] = record.model_copy(update={"verdict": verdict})
        graded = StageGraded(str(stage), verdict.outcome, round(verdict.score, 4), verdict.reason)
        self._timeline.record(graded)

    def _oracle_context(self, record: StageRecord) -> OracleContext:
        world = self._require_world()
        return OracleContext(
            cluster=world.cluster,
            application=self._application,
            problem=self.plan.problem,
            truths=self._truths,
            faults=self._faults,
            baseline=world.baseline,
            text=record.text,
            claims=record.claims,
        )

    def _tear_down(self) -> None:
        if self._world is None:
            return
        difference = ""
        try:
            recover(self._world, self._application, self._faults, self._journal)
        except KeyboardInterrupt:
            self.interrupted = True
            difference = "recovery was interrupted by the user"
        except Exception as error:
            difference = f"recovery failed: {error}"
        else:
            difference = remaining_difference(self._world, self._application)
        finally:
            self._recovered = not difference
            self._timeline.record(Recovered(not difference, difference))
            self._world.cluster.close()

    def _record(self) -> EpisodeRecord:
        plan = self.plan
        outcome, reason = grading.outcome(
            self._problem_with_world,
            self._stages.get(Stage.DIAGNOSIS),
            self._stages.get(Stage.MITIGATION),
        )
        self._timeline.record(EpisodeFinished(outcome, reason))
        return EpisodeRecord(
            episode=plan.episode,
            problem=plan.problem.id,
            agent=plan.agent.name,
            seed=plan.seed,
            mode=plan.mode.name,
            start_before_s=plan.start_before_s,
            attempt=plan.attempt,
            cluster=self._worlds.provider.name,
            outcome=outcome,
            reason=reason,
            diagnosis=self._stages.get(Stage.DIAGNOSIS),
            mitigation=self._stages.get(Stage.MITIGATION),
            recovered=self._recovered,
            stopped=self._agent_error,
            ttd_s=self._since_start(Stage.DIAGNOSIS),
            ttm_s=self._since_start(Stage.MITIGATION),
            wall_s=self._timeline.wall_s(),
            warnings=tuple(self._timeline.warnings),
            timeline=tuple(self._timeline.entries),
            **({} if self._prelude is None else self._prelude.account()),
            **account(self._session),
        )

    def _since_start(self, stage: Stage) -> float | None:
        record = self._stages.get(stage)
        if record is None or record.submitted_at_s is None:
            return None
        injected = None if self._prelude is None else self._prelude.injection.injected_at_s
        began = max(self._agent_began, injected or 0.0)
        return round(record.submitted_at_s - began, 3)

    def _require_world(self) -> World:
        if self._world is None:
            msg = "the episode has no world yet"
            raise WorldError(msg)
        return self._world


def _all(acts: Sequence[Callable[[], None]]) -> None:
    for act in acts:
        act()
