"""Where things stand in the log of a partition: ordinary records flow by, odd ones are kept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import NonJsonRecord, Topics


class Partition(NamedTuple):
    """The log of one partition.

    Attributes:
        arrived: Ordinary records that have arrived.
        odd: The odd ones, oldest first.
        first: Offset of the oldest record that is left.
    """

    arrived: int
    odd: tuple[NonJsonRecord, ...]
    first: int

    @property
    def end(self) -> int:
        """Offset of the next record that arrives."""
        return self.arrived + len(self.odd)

    def odd_at(self, offset: int) -> NonJsonRecord | None:
        """The odd record at an offset; None where an ordinary one stands."""
        found = (odd for number, odd in enumerate(self.odd) if odd.after + number == offset)
        return next(found, None)

    def ordinary_before(self, offset: int) -> int:
        """Ordinary records before an offset."""
        return offset - self._odd_before(offset)

    def offset_of(self, lag: int, ahead: float) -> int:
        """Where a group stands by what it has to take, and what of that comes before an odd record.

        Args:
            lag: Ordinary records that it has to take.
            ahead: How many of them come before the next record that it cannot read; infinite
                without one.
        """
        taken = self.arrived - lag
        if math.isinf(ahead):
            return taken + sum(odd.after <= taken for odd in self.odd)
        passed = min(
            range(len(self.odd)),
            key=lambda number: abs(self.odd[number].after - taken - ahead),
            default=0,
        )
        at = self.odd[passed].after if self.odd else taken
        return min(taken, at) + passed

    def left_from(self, offset: int) -> tuple[float, float]:
        """What a group has to take that is set to an offset: ordinary records, and those before an odd one."""
        taken, passed = self.ordinary_before(offset), self._odd_before(offset)
        ahead = self.odd[passed].after - taken if passed < len(self.odd) else math.inf
        return float(self.arrived - taken), float(ahead)

    def _odd_before(self, offset: int) -> int:
        return sum(odd.after + number < offset for number, odd in enumerate(self.odd))


def partition_of(data: Topics, topic: str, number: int, ends: tuple[int, ...]) -> Partition:
    """The log of a partition, of which so many ordinary records have arrived in each."""
    odd = tuple(record for record in data.odd if record[:2] == (topic, number))
    arrived = ends[number] if number < len(ends) else 0
    return Partition(arrived, odd, data.first.get((topic, number), 0))
