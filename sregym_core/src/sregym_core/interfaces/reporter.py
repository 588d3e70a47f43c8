"""Interface of reporters: they present a run, during it or afterwards."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sregym_core.events import EpisodeEvent
    from sregym_core.model import EpisodeRecord


@dataclass(frozen=True)
class RunPlan:
    """The configuration of a run.

    Attributes:
        folder: Directory of its records.
        problems: Ids of problems, in order.
        agents: Names of agents, in order.
        seeds: One for each attempt.
        cluster: Name of the cluster provider.
        cluster_options: Options of the provider.
        mode: Name of the mode.
        start_before_s: The fault is injected within so many seconds after the agent's start; None:
            before it.
        noise_levels: Each episode is run at each of these levels; empty: once, at the problem's own.
    """

    folder: Path
    problems: tuple[str, ...]
    agents: tuple[str, ...]
    seeds: tuple[int, ...]
    cluster: str
    cluster_options: Mapping[str, str] = field(default_factory=dict)
    mode: str = "standard"
    start_before_s: float | None = None
    noise_levels: tuple[int, ...] = ()

    @property
    def episodes(self) -> int:
        """Number of episodes of the run."""
        levels = max(1, len(self.noise_levels))
        return len(self.problems) * len(self.agents) * len(self.seeds) * levels


class Reporter(ABC):
    """Presents a run. One instance per run, in the process that the user started.

    An exception in any method is recorded as a warning; it never fails the run.

    Attributes:
        name: Its name behind `--report`.
    """

    name: ClassVar[str]

    def run_started(self, plan: RunPlan) -> None:  # noqa: B027 - optional
        """Called once before the first episode."""

    def event(self, episode: str, event: EpisodeEvent) -> None:  # noqa: B027 - optional
        """Called for each event of each episode; those of parallel episodes interleave."""

    def episode_finished(self, record: EpisodeRecord) -> None:  # noqa: B027 - optional
        """Called once an episode's record is safe on disk."""

    def run_finished(self, plan: RunPlan, records: tuple[EpisodeRecord, ...]) -> Path | None:
        """Called after the last episode; returns the file it wrote, if any."""
        return None
