"""Interface of runners: they run episodes in parallel, on one machine or several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces.agent import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import EpisodeRecord, Problem


@dataclass(frozen=True)
class EpisodeRequest:
    """One episode to run, with everything that a worker process needs.

    Attributes:
        key: What the caller calls it; the id of the episode in its record.
        problem: What is played.
        agent: Name of the adapter.
        agent_options: Of the adapter.
        seed: Of the world.
        salt: Keys and later moments follow from it; the same for worlds that are to be the same.
        attempt: 1 for the first with the same problem, agent and seed.
        mode: How the episode is put to the agent.
        start_before_s: In mode `proactive`: the system breaks within so many seconds.
        noise: Sources of noise, as `NAME` or `NAME=LEVEL`; None for those of the problem.
        noise_level: How much of a mixture of all sources, 0 to 3; None for that of the problem.
        budget: Limits of the agent.
        cluster: As behind `--cluster`.
        reward: What it is worth to a trainer, as behind `--reward`; None for nothing.
    """

    key: str
    problem: Problem
    agent: str
    agent_options: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    salt: str | None = None
    attempt: int = 1
    mode: str = "standard"
    start_before_s: float | None = None
    noise: tuple[str, ...] | None = None
    noise_level: int | None = None
    budget: Budget = field(default_factory=Budget)
    cluster: str = "embedded"
    reward: str | None = None


@dataclass(frozen=True)
class EpisodeResult:
    """Result of an episode that was started.

    Attributes:
        request: The episode.
        record: Its record; None if its process was lost.
        lost: Why there is no record: the process crashed, the machine failed, the deadline passed.
    """

    request: EpisodeRequest
    record: EpisodeRecord | None
    lost: str = ""


class Runner(ABC):
    """Runs episodes in other processes. One instance per campaign, in the user's process.

    `wait` returns each started episode exactly once, with a record or with the reason why there is
    none, whatever happens to its process; a lost process does not stop the runner.

        class Farm(Runner):
            name = "farm"

    Attributes:
        name: Its name behind `runner:` in a campaign's file.
        accepts: Names of its options.

    Args:
        jobs: Number of episodes in parallel; None: one for each processor.
        options: Options by name, as in the campaign's file.

    Raises:
        UsageError: An option is unknown, or a prerequisite is missing.
    """

    name: ClassVar[str]
    accepts: ClassVar[tuple[str, ...]] = ()

    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        from sregym_core.errors import UsageError

        self.jobs = jobs
        self.options: Mapping[str, str] = options or {}
        for name in self.options:
            if name not in self.accepts:
                has = f"it has: {', '.join(self.accepts)}" if self.accepts else "it has none"
                msg = f"runner {self.name!r} has no option {name!r}; {has}"
                raise UsageError(msg)

    @property
    @abstractmethod
    def free(self) -> int:
        """Number of episodes that can be started now."""

    @abstractmethod
    def begin(self, request: EpisodeRequest, deadline_s: float | None) -> None:
        """Start an episode; returns immediately.

        Args:
            request: The episode.
            deadline_s: Wall-clock seconds after which its process is killed; None: never.
        """

    @abstractmethod
    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        """Results of episodes that have ended since the last call; may be empty.

        Blocks until at least one has ended, for at most `timeout_s` wall-clock seconds.
        """

    @abstractmethod
    def close(self) -> None:
        """Kill all processes, also those with running episodes, which `wait` returns no more."""
