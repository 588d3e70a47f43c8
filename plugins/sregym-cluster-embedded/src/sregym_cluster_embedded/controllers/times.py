"""Timestamps of API objects as virtual time."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World


def seconds_since(world: World, timestamp: str) -> float:
    """How long ago a timestamp of the API was, in virtual seconds; negative for the future."""
    return world.epoch + world.now - _unix(timestamp)


@lru_cache(maxsize=4096)
def _unix(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
