"""Rewards that look at verdicts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Reward
from sregym_core.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import RewardFacts
    from sregym_core.model import StageRecord


class OutcomeReward(Reward):
    """1 for an episode that passes, else 0."""

    name: ClassVar[str] = "outcome"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0

    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        """The verdict."""
        return {"outcome": float(facts.record.outcome is Outcome.PASS)}


class StagesReward(Reward):
    """A part for each stage that passes, and the rest when all of them do.

    What a judge gives besides for an answer that it fails counts for nothing: a text that names
    everything scores there.
    """

    name: ClassVar[str] = "stages"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    accepts: ClassVar[Mapping[str, float]] = {"diagnosis": 0.2, "mitigation": 0.3, "solved": 0.5}

    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        """The verdicts of both stages, and that of the whole."""
        record, weights = facts.record, self.weights
        return {
            "diagnosis": weights["diagnosis"] * passed(record.diagnosis),
            "mitigation": weights["mitigation"] * passed(record.mitigation),
            "solved": weights["solved"] * (record.outcome is Outcome.PASS),
        }


def passed(stage: StageRecord | None) -> bool:
    """Whether a stage was judged and passed."""
    return stage is not None and stage.verdict.outcome is Outcome.PASS
