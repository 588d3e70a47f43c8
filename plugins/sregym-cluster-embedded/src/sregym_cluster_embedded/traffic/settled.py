"""What was worked out last of the traffic, for changes after which the same flows.

Most changes are of that kind while programs start: one opens its connections and is not called yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.traffic.structure import Structure

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.world import World

_SETTLED: CacheKey[Settled] = CacheKey("traffic.settled")

# No rate and no time depends on who holds connections to a server, where all get theirs: what does not
# is told by `openings` and `room`.
_FLOWS = tuple(name for name in Structure.__slots__ if name != "pools")


class Settled(NamedTuple):
    """Numbers that agreed with each other, and were written down; never edited.

    Attributes:
        structure: Who calls whom.
        begun: The numbers at which the search began.
        factors: What the load of each generator was multiplied with.
        numbers: What was found.
        restless: Whether they change by themselves.
    """

    structure: Structure
    begun: FlowState
    factors: list[float]
    numbers: FlowState
    restless: bool

    def holds(self, structure: Structure, begun: FlowState, factors: list[float]) -> bool:
        """Whether the same would be found again: it follows from these three alone."""
        mine = self.structure
        return (
            factors == self.factors
            and begun.equals(self.begun)
            and all(getattr(structure, name) == getattr(mine, name) for name in _FLOWS)
        )


def settled(world: World) -> Settled | None:
    """What was found last, while nothing else was written down since."""
    return world.cache.kept(_SETTLED)


def keep_settled(world: World, found: Settled | None) -> None:
    """Keep what was found and has been written down; None where something else was written since."""
    if found is None:
        world.cache.pop(_SETTLED, None)
    else:
        world.cache.keep(_SETTLED, found)
