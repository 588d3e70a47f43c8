"""A reward: a number for an episode, for trainers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import EpisodeRecord, GroundTruth, ToolCall


@dataclass(frozen=True)
class RewardFacts:
    """Input of a reward; nothing of it reaches the agent before the end of the episode.

    Attributes:
        record: The graded episode, without a reward.
        ground_truths: The ground truth of each fault.
    """

    record: EpisodeRecord
    ground_truths: tuple[GroundTruth, ...]


class Reward(ABC):
    """Computes a number for an episode from its record; equal records give equal rewards.

    One object serves many episodes and forks of them, so it is stateless.

    Attributes:
        name: Its name behind `--reward` and in APIs of trainers.
        low: Lower bound of the reward.
        high: Upper bound of the reward.
        accepts: Options with their defaults; all are weights, as numbers.
        weights: `accepts` with the values that the user set.

    Raises:
        UsageError: An option is unknown or not a number.
    """

    name: ClassVar[str]
    low: ClassVar[float]
    high: ClassVar[float]
    accepts: ClassVar[Mapping[str, float]] = {}

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self.weights = dict(self.accepts)
        for name, text in (options or {}).items():
            if name not in self.accepts:
                has = f"it has: {', '.join(self.accepts)}" if self.accepts else "it has none"
                msg = f"reward {self.name!r} has no option {name!r}; {has}"
                raise UsageError(msg)
            try:
                self.weights[name] = float(text)
            except ValueError as error:
                msg = f"reward {self.name!r}, option {name!r}: a number is needed, not {text!r}"
                raise UsageError(msg) from error

    @abstractmethod
    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        """Terms of the reward by name; the reward is their sum, clipped to `low` and `high`.

        Not called for episodes with outcome `error`: they say nothing about the agent.
        """

    def so_far(self, calls: Sequence[ToolCall]) -> float:
        """The part of the sum that follows from the tool calls so far, during the episode.

        Its increments are returned with each observation, so it must not depend on what only the
        harness knows, such as whether a diagnosis is right. Default: 0.0, a reward at the end only.
        """
        return 0.0
