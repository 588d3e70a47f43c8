"""The conductor: owns the life of an episode."""

from __future__ import annotations

from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.conductor.episode import EpisodePlayer
from sregym_core.conductor.plan import EpisodePlan

__all__ = [
    "ComponentFactory",
    "EpisodePlan",
    "EpisodePlayer",
]
