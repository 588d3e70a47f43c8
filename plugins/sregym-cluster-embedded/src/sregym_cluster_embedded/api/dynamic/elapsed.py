"""How long webhooks keep a request waiting, and when the server gives it up.

The world stands still while a request is answered. What webhooks take is counted here; whoever has
sent the request lets that time pass, or waits so much longer before it tries again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

# After which the API server gives a write up, whatever its client would wait for.
REQUEST_LIMIT_S = 34.0
GIVEN_UP = "Timeout: request did not complete within requested timeout - context deadline exceeded"
# Seconds that requests have taken which are not accounted for yet.
_TOOK: TableKey[bool, float] = TableKey("api.dynamic.took")


@dataclass
class Elapsed:
    """The time of one request.

    Attributes:
        seconds: Taken by webhooks so far.
    """

    seconds: float = 0.0

    @property
    def left_s(self) -> float:
        """Until the server gives the request up."""
        return max(REQUEST_LIMIT_S - self.seconds, 0.0)

    def pass_by(self, world: World, seconds: float) -> None:
        """Let webhooks have taken so long."""
        if seconds > 0:
            self.seconds += seconds
            table = world.table(_TOOK)
            table[True] = table.get(True, 0.0) + seconds


def took(world: World) -> float:
    """What has been taken since the last call, in seconds; it is accounted for herewith."""
    return world.table(_TOOK).pop(True, 0.0)
