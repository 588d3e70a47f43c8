"""The stages of one episode: what was handed in, and what came of it."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.conductor import grading
from sregym_core.conductor.attribution import blamed
from sregym_core.events import StageGraded
from sregym_core.interfaces import Stage
from sregym_core.model import Outcome, StageRecord, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import Application, OracleContext
    from sregym_core.model import Claims, GroundTruth, ToolCall

_PENDING = Verdict(outcome=Outcome.ERROR, reason="not graded")


class Grades:
    """Takes submissions and lets oracles judge them.

    Args:
        factory: Where oracles come from.
        plan: The episode: its problem names the oracles, its mode what is judged.
        timeline: Where verdicts are recorded.

    Attributes:
        stages: Records of the stages that were handed in or judged.
        ground_truths: Root causes by which they were judged; empty until the first is.
    """

    def __init__(self, factory: ComponentFactory, plan: EpisodePlan, timeline: Timeline) -> None:
        self.stages: dict[Stage, StageRecord] = {}
        self.ground_truths: tuple[GroundTruth, ...] = ()
        self._bench = factory
        self._problem = plan.problem
        self._mode = plan.mode
        self._timeline = timeline

    def fork(self, timeline: Timeline) -> Grades:
        """Equal ones that go on by themselves."""
        twin = copy(self)
        twin.stages = dict(self.stages)
        twin._timeline = timeline
        return twin

    def submitted(
        self, stage: Stage, text: str, claims: Claims | None, facts: OracleContext
    ) -> None:
        """A stage is handed in; a diagnosis is judged at once."""
        self.ground_truths = facts.ground_truths
        at_s = self._timeline.at_s()
        self.stages[stage] = StageRecord(
            text=text, claims=claims, submitted_at_s=at_s, verdict=_PENDING
        )
        mode = self._mode
        if stage is mode.submissions[-1]:  # what is judged and not handed in is judged with it
            for other in mode.judged:
                if other not in mode.submissions:
                    self.stages[other] = StageRecord(submitted_at_s=at_s, verdict=_PENDING)
        if stage is Stage.DIAGNOSIS:
            self._grade(stage, self._problem.oracles.diagnosis, facts)

    def rest(self, agent_error: str, facts: OracleContext) -> None:
        """Judge what was not handed in, and the state that was left behind.

        Args:
            agent_error: What ended the agent's part; empty when it ended by itself.
            facts: What oracles judge by.
        """
        self.ground_truths = facts.ground_truths
        for stage in self._mode.judged:
            if stage not in self.stages:
                reason = f"nothing was submitted; {agent_error}".rstrip("; ")
                verdict = Verdict(outcome=Outcome.FAIL, reason=reason)
                self.stages[stage] = StageRecord(verdict=verdict)
                if stage is Stage.DIAGNOSIS:
                    graded = StageGraded(str(stage), verdict.outcome, verdict.score, reason)
                    self._timeline.record(graded)
        if Stage.MITIGATION in self._mode.judged:
            self.mitigation(facts)

    def mitigation(self, facts: OracleContext) -> None:
        """Judge the state of the system as it is now."""
        self._grade(Stage.MITIGATION, self._problem.oracles.mitigation, facts)

    def ground(self, transcript: Sequence[ToolCall], application: Application) -> None:
        """Note what of the diagnosis the agent had seen; no verdict depends on it.

        Args:
            transcript: All calls of the episode, in order.
            application: What runs.
        """
        diagnosis = self.stages.get(Stage.DIAGNOSIS)
        if diagnosis is None or diagnosis.submitted_at_s is None:
            return
        components = [part.name for part in application.components()]
        seen = self._bench.plugins.manager.hook.sregym_ground_diagnosis(
            diagnosis=diagnosis, transcript=transcript, components=components
        )
        self.stages[Stage.DIAGNOSIS] = diagnosis.model_copy(update={"grounding": seen})

    def _grade(self, stage: Stage, names: tuple[str, ...], facts: OracleContext) -> None:
        record = self.stages[stage]
        context = replace(facts, text=record.text, claims=record.claims)
        verdict = grading.judge(
            [self._bench.oracle(name) for name in names],
            context,
            lambda error: blamed(error, self._bench.registry),
        )
        if record.submitted_at_s is None and verdict.outcome is Outcome.PASS:
            # A healthy system without a word from the agent is nobody's merit, but it is no
            # failure of the system either: the state is judged, the missing word is in the text.
            verdict = verdict.model_copy(
                update={"reason": "all checks passed; nothing was submitted"}
            )
        self.stages[stage] = record.model_copy(update={"verdict": verdict})
        graded = StageGraded(str(stage), verdict.outcome, round(verdict.score, 4), verdict.reason)
        self._timeline.record(graded)
