"""The conductor: owns the life of an episode and of a run."""

from __future__ import annotations

from sregym_core.conductor.bench import Bench
from sregym_core.conductor.episode import EpisodePlan, EpisodePlayer
from sregym_core.conductor.run import RunRequest, check_playable, play_run

__all__ = ["Bench", "EpisodePlan", "EpisodePlayer", "RunRequest", "check_playable", "play_run"]
