"""A reporter: shows a run to people, while it goes on or after it."""

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
    """What a run is going to do.

    Attributes:
        folder: Where its records go.
        problems: Ids, in order.
        agents: Names, in order.
        seeds: One per attempt.
        cluster: Name of the cluster provider.
        cluster_options: What the user gave for it.
        mode: How episodes are put to agents.
        start_before_s: Within how many seconds of the agent's start the system breaks; None where
            it is broken before.
        noise_levels: Levels of noise at each of which everything is played; empty for once.
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
        """How many episodes that makes."""
        doses = max(1, len(self.noise_levels))
        return len(self.problems) * len(self.agents) * len(self.seeds) * doses


class Reporter(ABC):
    """Shows a run. One instance per run, in the process that the user started.

    What it raises is recorded as a warning and never fails a run.

    Attributes:
        name: The word behind `--report`.
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
