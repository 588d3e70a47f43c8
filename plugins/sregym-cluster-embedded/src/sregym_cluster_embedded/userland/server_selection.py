"""Server selection of a database driver: it retries until the server is there or the timeout has passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.world import World

# A driver of a datastore looks for its server again and again until its timeout. Looking less often the
# longer it takes costs few events and comes late by no more than a part of the time waited.
_SEARCH_S = 0.5
_SEARCH_PART = 0.4


class Search(NamedTuple):
    """What a driver does until its server is there.

    Attributes:
        began: Virtual second at which it began.
        until: When it gives up.
        seen: What it found the last time.
    """

    began: float
    until: float
    seen: DependencyTracker

    def pause_s(self, world: World) -> float:
        """How long it waits before it looks again."""
        return max(_SEARCH_S, (world.now - self.began) * _SEARCH_PART)

    def goes_on(self, world: World) -> bool:
        """Whether there is time for another look."""
        return world.now + self.pause_s(world) < self.until
