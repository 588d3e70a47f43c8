"""A runner: has many episodes played side by side, on this machine or on several."""

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
    """One episode that is to be played, with all that a process elsewhere needs for it.

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
    """What came of an episode that was begun.

    Attributes:
        request: The episode.
        record: Its record; None when its process was lost.
        lost: Why there is none: the process died, the machine went, it did not end in time.
    """

    request: EpisodeRequest
    record: EpisodeRecord | None
    lost: str = ""


class Runner(ABC):
    """Plays episodes in other processes. One instance per campaign, in the user's process.

    Whatever happens to the process that plays an episode, `wait` tells of it once, with a record or
    with the reason why there is none; the runner goes on.

        class Farm(Runner):
            name = "farm"

    Attributes:
        name: The word behind `runner:` in a campaign's file.
        accepts: Names of the options that it knows.

    Args:
        jobs: How many episodes at once; None for one a processor.
        options: What the user gave for it.

    Raises:
        UsageError: It does not know an option, or what it needs is not there.
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
        """How many more episodes can be begun now."""

    @abstractmethod
    def begin(self, request: EpisodeRequest, deadline_s: float | None) -> None:
        """Have an episode played; returns at once.

        Args:
            request: The episode.
            deadline_s: Wall-clock seconds after which its process is ended; None for never.
        """

    @abstractmethod
    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        """What has ended since the last call.

        Waits for the first of them, at most `timeout_s` wall-clock seconds.
        """

    @abstractmethod
    def close(self) -> None:
        """End all processes at once, also those that play; nothing more is told of these."""
