"""A tiny policy: a softmax over moves, linear in what was seen and done, learning by REINFORCE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from sregym_rollouts import word_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass
class Trace:
    """One episode of a policy: what it saw, which moves it chose of which, and what came of it.

    Attributes:
        group: Whose episodes it is compared with: those of the same problem.
    """

    group: str = ""
    seen: list[Vector] = field(default_factory=list)
    free: list[NDArray[np.bool_]] = field(default_factory=list)
    chosen: list[int] = field(default_factory=list)
    reward: float = 0.0


class Policy:
    """Chooses among moves that were not made yet.

    Args:
        moves: How many moves there are.
        words: Length of the vector of words.
        rate: Step of learning.
        entropy: Weight of the bonus for staying undecided.
    """

    def __init__(
        self, moves: int, words: int = 256, rate: float = 0.5, entropy: float = 0.01
    ) -> None:
        self.moves, self.words = moves, words
        self._rate, self._entropy = rate, entropy
        self.weights = np.zeros((moves, words + moves + 1))

    def features(self, texts: Sequence[str], made: Sequence[int]) -> Vector:
        """All words that were read in an episode, the moves that were made, and a one."""
        found = np.zeros(self.words + self.moves + 1)
        places = sorted({place for text in texts for place in word_places(text, self.words)})
        if places:
            found[places] = 1.0 / np.sqrt(len(places))
        found[[self.words + move for move in made]] = 1.0
        found[-1] = 1.0
        return found

    def shares(self, seen: Vector, free: NDArray[np.bool_]) -> Vector:
        """How likely each move is; 0 for those that were made."""
        scores = np.where(free, self.weights @ seen, -np.inf)
        raised = np.exp(scores - scores.max())
        shares: Vector = raised / raised.sum()
        return shares

    def choose(self, chance: np.random.Generator, seen: Vector, free: NDArray[np.bool_]) -> int:
        """A move."""
        return int(chance.choice(self.moves, p=self.shares(seen, free)))

    def learn(self, traces: Sequence[Trace]) -> None:
        """One step towards what earned more than other episodes of its group (as GRPO does)."""
        groups: dict[str, list[float]] = {}
        for trace in traces:
            groups.setdefault(trace.group, []).append(trace.reward)
        means = {name: float(np.mean(rewards)) for name, rewards in groups.items()}
        spread = {name: float(np.std(rewards)) or 1.0 for name, rewards in groups.items()}
        change = np.zeros_like(self.weights)
        for trace in traces:
            advantage = (trace.reward - means[trace.group]) / spread[trace.group]
            for seen, free, chosen in zip(trace.seen, trace.free, trace.chosen, strict=True):
                shares = self.shares(seen, free)
                pull = -advantage * shares
                pull[chosen] += advantage
                logs = np.log(np.where(shares > 0, shares, 1.0))
                pull -= self._entropy * shares * (logs - float(shares @ logs))
                change += np.outer(pull, seen)
        self.weights += self._rate * change / len(traces)
