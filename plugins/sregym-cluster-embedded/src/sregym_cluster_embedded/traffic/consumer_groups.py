"""How consumer groups take records: how fast, how far behind, and where they stand still."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.structure import chance_ms

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import Consumer, Queue, Structure

# A lag of less is none.
_NONE = 1e-3


class ConsumerGroups:
    """The queues of a structure, whose numbers are changed in place.

    Args:
        structure: Who calls whom.
        numbers: As they are.
    """

    def __init__(self, structure: Structure, numbers: FlowState) -> None:
        self._structure = structure
        self._numbers = numbers

    def pull(self) -> float:
        """Find what each group takes now; the largest relative change of a rate."""
        n, moved = self._numbers, 0.0
        before = n.taken[:]
        for queue in self._structure.queues:
            come = sum(n.calls[site] * share for site, share in queue.produced) / queue.partitions
            for spot in range(queue.first, queue.first + queue.partitions):
                n.come[spot], n.taken[spot], n.progress[spot] = come, 0.0, 0.0
            for member, consumer in enumerate(queue.consumers):
                mine = range(
                    queue.first + member, queue.first + queue.partitions, len(queue.consumers)
                )
                self._share(consumer, mine)
        for old, new in zip(before, n.taken, strict=True):
            moved = max(moved, abs(new - old) / max(new, old, 1.0))
        return moved

    def loads(self, rate: list[float]) -> None:
        """Add what is taken to the rates of the operations that work on it."""
        for queue in self._structure.queues:
            for member, consumer in enumerate(queue.consumers):
                mine = range(
                    queue.first + member, queue.first + queue.partitions, len(queue.consumers)
                )
                rate[consumer.operation] += sum(self._numbers.taken[spot] for spot in mine)

    def move_on(self, seconds: float) -> float:
        """Let time pass; the largest relative change that will change rates in turn."""
        n, moved = self._numbers, 0.0
        for spot in range(self._structure.partitions):
            before = n.lag[spot]
            n.lag[spot] = max(0.0, before + (n.come[spot] - n.progress[spot]) * seconds)
            if n.ahead[spot] < math.inf:
                n.ahead[spot] = max(0.0, n.ahead[spot] - n.progress[spot] * seconds)
        if self.restless():
            moved = 1.0
        return moved

    def restless(self) -> bool:
        """Whether a group is catching up, or on its way to a record that stops it."""
        n = self._numbers
        return any(
            (n.lag[spot] > _NONE and n.progress[spot] > n.come[spot])
            or (0 < n.ahead[spot] < math.inf and n.progress[spot] > 0)
            for spot in range(self._structure.partitions)
        )

    def standing(self, queue: Queue, consumer: Consumer) -> int:
        """Partitions of a member that stand still before a record that it cannot read."""
        member = queue.consumers.index(consumer)
        mine = range(queue.first + member, queue.first + queue.partitions, len(queue.consumers))
        return sum(self._numbers.ahead[spot] <= 0 for spot in mine)

    def _share(self, consumer: Consumer, mine: range) -> None:
        """What one member takes of its partitions: one record after the other."""
        n = self._numbers
        if consumer.poison.then == "skip":
            for spot in mine:
                if n.ahead[spot] <= 0:
                    n.ahead[spot] = math.inf
        free = [spot for spot in mine if n.ahead[spot] > 0]
        ok = n.ok[consumer.operation]
        budget = self._fastest(consumer) * ok
        come = sum(n.come[spot] for spot in free)
        behind = [spot for spot in free if n.lag[spot] > _NONE]
        for spot in free:
            if come > budget:
                n.progress[spot] = budget * n.come[spot] / come
            else:
                n.progress[spot] = n.come[spot]
                if spot in behind:
                    n.progress[spot] += (budget - come) / len(behind)
            n.taken[spot] = n.progress[spot] / ok if ok > 0 else self._fastest(consumer) / len(free)
        if ok <= 0 and come <= 0 and not behind:
            for spot in free:
                n.taken[spot] = 0.0

    def _fastest(self, consumer: Consumer) -> float:
        """Records a second that a member works on when there are always more."""
        n, operation = self._numbers, self._structure.operations[consumer.operation]
        server = self._structure.servers[operation.server]
        busy = min(n.cores[operation.server], 0.98)
        ok = n.ok[consumer.operation]
        needed = ok * n.mean[consumer.operation] + (1 - ok) * n.failed[consumer.operation]
        # It does not wait for itself; a limit below one processor makes it slower.
        work = operation.cpu_ms
        share = n.share[operation.server]
        needed -= work + chance_ms(work, share, busy) + server.held_back_ms(work)
        needed -= server.slowed_ms(work, share, 0.0)
        return 1000 / (max(0.0, needed) + work / min(1.0, share))
