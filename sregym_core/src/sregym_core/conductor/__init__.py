"""The conductor: owns the life of an episode and of a run."""

from __future__ import annotations

from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.conductor.episode import EpisodePlayer
from sregym_core.conductor.plan import EpisodePlan
from sregym_core.conductor.run import check_playable, play_run
from sregym_core.conductor.run_request import RunRequest

__all__ = [
    "ComponentFactory",
    "EpisodePlan",
    "EpisodePlayer",
    "RunRequest",
    "check_playable",
    "play_run",
]
