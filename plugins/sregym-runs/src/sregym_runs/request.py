"""What a run is asked to be, and the episodes that it consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_core.interfaces import Budget
from sregym_core.modes import STANDARD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_core.model import Problem


@dataclass(frozen=True)
class RunRequest:
    """What a run is.

    Attributes:
        problems: In the order of play.
        agents: Names, in the order of play.
        seed: Of the first attempt; attempt k has seed + k - 1.
        attempts: How often each pair is played.
        cluster: Name of the provider.
        cluster_options: What the user gave for it.
        agent_options: What the user gave for agents.
        budget: Limits of each agent.
        jobs: How many episodes at once.
        mode: Name of the mode in which episodes are put to agents.
        start_before_s: Agents start in a healthy system, and it breaks within this time; None
            breaks it before they start.
        keep: Whether applications stay on a real cluster when the run is over.
        noise_levels: Levels of noise at each of which everything is played; empty for once, as
            noisy as each problem says.
        reward: What episodes are worth to a trainer, as `ComponentFactory.reward` takes it; empty for nothing.
    """

    problems: tuple[Problem, ...]
    agents: tuple[str, ...]
    seed: int = 0
    attempts: int = 1
    cluster: str = "embedded"
    cluster_options: Mapping[str, str] = field(default_factory=dict)
    agent_options: Mapping[str, str] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    jobs: int = 1
    mode: str = STANDARD.name
    start_before_s: float | None = None
    keep: bool = False
    noise_levels: tuple[int, ...] = ()
    reward: str = ""

    def assignments(self) -> Iterator[Assignment]:
        """All episodes of the run, in order."""
        number = 0
        for problem in self.problems:
            for agent in self.agents:
                for attempt in range(1, self.attempts + 1):
                    for noisy in self._doses(problem):
                        number += 1
                        episode, seed = f"e{number:04d}", self.seed + attempt - 1
                        yield Assignment(episode, noisy, agent, seed, attempt)

    def _doses(self, problem: Problem) -> Sequence[Problem]:
        """The problem at each level: the same worlds, so that only noise makes a difference."""
        levels = self.noise_levels or (problem.noise_level,)
        return [problem.model_copy(update={"noise_level": level}) for level in levels]


@dataclass(frozen=True)
class Assignment:
    """One episode of a run, as it is handed to a worker."""

    episode: str
    problem: Problem
    agent: str
    seed: int
    attempt: int
