"""Timestamps of API objects as virtual time."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World


# The value of a missing time.
_NEVER = "0001-01-01T00:00:00+00:00"


def seconds_since(world: World, timestamp: str | None) -> float:
    """How long ago a timestamp of the API was, in virtual seconds; negative for the future.

    None, a missing time, is the beginning of the first year.
    """
    return world.epoch + world.now - _unix(timestamp or _NEVER)


@lru_cache(maxsize=4096)
def _unix(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
