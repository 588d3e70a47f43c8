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
    """What a reward is worked out from. Nothing of it reaches the agent before its episode is over.

    Attributes:
        record: The episode, graded; its reward is not in it yet.
        ground_truths: The ground truth of each fault.
    """

    record: EpisodeRecord
    ground_truths: tuple[GroundTruth, ...]


class Reward(ABC):
    """Rewards episodes. A function of what is recorded: the same episode has the same reward.

    One object serves many episodes, and forks of them; it holds no state of any.

    Attributes:
        name: The word by which trainers choose it.
        low: No episode has less.
        high: No episode has more.
        accepts: Options and their defaults: weights, as numbers.
        weights: The same with what the user gave.

    Raises:
        UsageError: It has no such option, or it is no number.
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
        """What the reward consists of, by name; the reward is their sum, held within its bounds.

        Not asked for episodes that end in an error: their world was not right, they teach nothing.
        """

    def so_far(self, calls: Sequence[ToolCall]) -> float:
        """What of the sum is settled by the calls alone, while the episode goes on.

        Differences of it are told with each observation, so it must not depend on what only the
        harness knows: whether a diagnosis was right, for instance. 0.0, the default, rewards at
        the end alone.
        """
        return 0.0
