"""How the numbers of the traffic follow from each other, and how they change with time.

Requests are a fluid. Rates go down the structure, from load generators to what they lead to; times
and failures come back up. What a process cannot serve waits, and what waits makes answers late;
calls that are late are made again, where their client does so. The rest follows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.breaking import Breaking
from sregym_cluster_embedded.traffic.call_outcomes import Calling
from sregym_cluster_embedded.traffic.closed_loops import approached
from sregym_cluster_embedded.traffic.consumer_groups import ConsumerGroups
from sregym_cluster_embedded.traffic.processors import Sharing
from sregym_cluster_embedded.traffic.structure import chance_ms

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import (
        Consumer,
        Operation,
        Queue,
        Server,
        Structure,
    )

# From this utilisation on the queue of chance arrivals grows no further; the lack of capacity shows
# in what waits.
_SATURATED = 0.98

# What has waited so many times as long as the longest deadline of its callers is dropped: until then
# a server does not learn that its client has gone.
_UNNOTICED = 2.0

# Spread of the time that requests wait in a long queue.
_WAIT_SPREAD = 0.2

# Changes below this do not count.
_STILL = 1e-7
# With fewer answers than this a cache does not get warm.
_NOTHING = 1e-6


class Solver:
    """One structure and its numbers, which are changed in place.

    Args:
        structure: Who calls whom.
        numbers: Where it begins.
        factors: Of each load generator: what its load is multiplied with.
    """

    def __init__(self, structure: Structure, numbers: FlowState, factors: list[float]) -> None:
        self.structure = structure
        self.numbers = numbers
        self.factors = factors
        self._cycle_s = 0.0
        self._steady = False
        self._calling = Calling(structure, numbers)
        self._pulling = ConsumerGroups(structure, numbers)
        self._breaking = Breaking(structure, numbers)
        self._sharing = Sharing(structure, numbers)
        self._special = [
            server.heap is not None
            or server.queue is not None
            or server.concurrency > 0
            or server.rate > 0
            for server in structure.servers
        ]

    def settle(self, rounds: int = 40) -> bool:
        """Go round until the numbers agree; whether they do.

        While something waits they are on their way, and one round brings them up to date: calls
        that are being made again do not end because something else has changed.
        """
        for turn in range(rounds):
            evolving = any(self.numbers.waiting)
            self._steady = not evolving
            self._calling.change, self._calling.damped = 0.0, evolving or turn > 2
            self.send()
            self.queue(0.0)
            if evolving:
                self.answer()
                self._pull()
                return False
            self.answer()
            self._pull()
            if self._calling.change <= _STILL:
                return True
        return False

    def advance(self, seconds: float) -> float:
        """Let time pass; the largest relative change of what waits, of attempts or of warmth."""
        self._cycle_s = min(
            (
                source.think_s + max(self._seen_ms(index), 1.0) / 1000
                for index, source in enumerate(self.structure.sources)
                if source.users
            ),
            default=0.0,
        )
        self._steady = False
        moved = self.queue(seconds) if seconds else 0.0
        moved = max(moved, self.warm_up(seconds), self._pulling.move_on(seconds))
        if self.structure.breakers:
            moved = max(moved, self._breaking.move_on(seconds))
        self._calling.change, self._calling.damped = 0.0, True
        self.answer()
        self._pull()
        self.send()
        self.queue(0.0)
        self.answer()
        return max(moved, self._calling.change)

    def send(self) -> None:
        """Send the load down the structure."""
        n, structure = self.numbers, self.structure
        rate = n.rate = [0.0] * len(structure.operations)
        for index, source in enumerate(structure.sources):
            sent = self._load(index)
            for part in source.parts:
                for end in part.ends:
                    if end.callee >= 0:
                        rate[end.callee] += sent * part.weight * end.share
        for spot, often in structure.work:
            rate[spot] += often
        if structure.queues:
            self._pulling.loads(rate)
        made, attempts, calls, shed = n.made, n.attempts, n.calls, n.shed
        operations = structure.operations
        for index in range(len(operations) - 1, -1, -1):
            operation = operations[index]
            if not operation.sites:
                continue
            taken = rate[index] * self._taken(operation.server)
            for site in operation.sites:
                spot = site.index
                tried = calls[spot] = taken * made[spot] * attempts[spot]
                if site.breaker >= 0:
                    tried *= 1 - n.barred[site.breaker]
                for route in site.routes:
                    if route.callee >= 0:
                        come = tried * route.share * (1 - shed[spot])
                        if route.opening >= 0:
                            come *= 1 - n.unopened[route.opening]
                        rate[route.callee] += come

    def queue(self, seconds: float) -> float:
        """Compare what comes with what can be done; the largest relative change of what waits."""
        n, moved = self.numbers, 0.0
        rate, operations = n.rate, self.structure.operations
        servers = self.structure.servers
        works = [
            sum([rate[spot] * operations[spot].cpu_ms for spot in server.operations]) / 1000
            for server in servers
        ]
        self._sharing.share(works)
        for index, server in enumerate(servers):
            come = 0.0
            for spot in server.operations:
                come += rate[spot]
            if come <= 0 and n.waiting[index] <= 0:
                n.busy[index] = n.wait_ms[index] = n.dropped[index] = n.rejected[index] = 0.0
                continue
            busy = works[index] / n.share[index] + self._collecting(server, come, index)
            n.cores[index] = busy
            if server.concurrency:
                busy = max(busy, self._workers(index, server, come))
                self._calling.change = max(self._calling.change, abs(busy - n.busy[index]))
            if server.rate:
                busy = max(busy, come / server.rate)
            n.busy[index] = busy
            if come > 0:
                n.capacity[index] = come / busy
            elif not n.capacity[index]:
                costs = [operations[spot].cpu_ms for spot in server.operations]
                most = n.share[index] * 1000 * len(costs) / sum(costs)
                n.capacity[index] = min(most, server.rate or most)
            before = n.waiting[index]
            if busy > 1 or before > 0:
                moved = max(moved, self._wait(index, server, come, seconds) / (1 + before))
        return moved

    def _wait(self, index: int, server: Server, come: float, seconds: float) -> float:
        """Let requests wait at a server; how many more or less do now."""
        n = self.numbers
        capacity, before = max(n.capacity[index], 1e-9), n.waiting[index]
        most = math.inf
        if server.deadline_ms:
            most = capacity * server.deadline_ms / 1000 * _UNNOTICED
        if server.queue is not None:
            most = min(most, float(server.queue))
        # Users of closed loops ask less the longer they wait: that is taken into account at once.
        slowing = 1 + seconds * come / capacity / self._cycle_s if self._cycle_s else 1.0
        now = min(max(0.0, before + (come - capacity) * seconds / slowing), most)
        if now < 1e-3:
            now = 0.0
        n.waiting[index] = now
        n.wait_ms[index] = now / capacity * 1000
        over = max(0.0, 1 - capacity / come) if now >= most and come > 0 else 0.0
        full = server.queue is not None and most >= server.queue
        self._calling.change = max(
            self._calling.change, abs(over - n.rejected[index] - n.dropped[index])
        )
        n.rejected[index], n.dropped[index] = (over, 0.0) if full else (0.0, over)
        return abs(now - before)

    def answer(self) -> None:
        """Let times and failures come back up."""
        n, own, steps = self.numbers, self._own, self._calling.steps
        ok, mean, variance, failed = n.ok, n.mean, n.variance, n.failed
        for index, operation in enumerate(self.structure.operations):
            own_ms, spread = own(operation)
            if operation.steps:
                alive, own_ms, spread, lost_ms = steps(operation.steps, 1.0, own_ms, spread)
                ok[index] = alive
                failed[index] = lost_ms / (1 - alive) if alive < 1 else 0.0
            else:
                ok[index] = 1.0
            mean[index], variance[index] = own_ms, spread
        if self.structure.openings:
            self._calling.open()

    def warm_up(self, seconds: float) -> float:
        """Let caches fill; the largest change of their warmth."""
        n, moved = self.numbers, 0.0
        for index, fill in enumerate(self.structure.fills):
            looks = sum(n.calls[site] for site in fill.sites)
            before = n.warm[index]
            found = looks * n.filled[index]
            now = 1 - (1 - before) * math.exp(-found * seconds / fill.keys)
            n.warm[index] = 1.0 if now > 0.9995 else now
            moved = max(moved, n.warm[index] - before)
        return moved

    def restless(self) -> bool:
        """Whether numbers change by themselves as time passes."""
        n = self.numbers
        for index in range(len(self.structure.servers)):
            evolves = n.waiting[index] > 0 or n.busy[index] > 1
            if evolves and not n.dropped[index] and not n.rejected[index]:
                return True
        if self.structure.breakers and self._breaking.restless():
            return True
        return self._pulling.restless() or any(
            n.warm[index] < 1
            and n.filled[index] > _NOTHING
            and any(n.calls[site] for site in fill.sites)
            for index, fill in enumerate(self.structure.fills)
        )

    def standing(self, queue: Queue, consumer: Consumer) -> int:
        """Partitions of a member of a group that stand still."""
        return self._pulling.standing(queue, consumer)

    def in_flight(self, index: int) -> float:
        """Requests that a server works on or that wait for it."""
        n, found = self.numbers, 0.0
        for spot in self.structure.servers[index].operations:
            needed = n.ok[spot] * n.mean[spot] + (1 - n.ok[spot]) * n.failed[spot]
            found += n.rate[spot] * needed / 1000
        return found * self._taken(index)

    def _pull(self) -> None:
        if self.structure.queues:
            self._calling.change = max(self._calling.change, self._pulling.pull())

    def _load(self, index: int) -> float:
        """Requests a second of a load generator."""
        source = self.structure.sources[index]
        if not source.users:
            sent = source.rate * self.factors[index]
        else:
            pause = source.think_s + max(self._seen_ms(index), 1.0) / 1000
            sent = source.users * self.factors[index] / pause
            sent, change = approached(self.numbers, index, sent, steady=self._steady)
            self._calling.change = max(self._calling.change, change)
        self.numbers.sent[index] = sent
        return sent

    def _seen_ms(self, index: int) -> float:
        """How long users of a load generator wait for an answer on average."""
        n, source = self.numbers, self.structure.sources[index]
        limit, found = source.timeout_s * 1000, 0.0
        for part in source.parts:
            for end in part.ends:
                spot = end.callee
                if spot >= 0:
                    needed = n.ok[spot] * n.mean[spot] + (1 - n.ok[spot]) * n.failed[spot]
                    if n.dropped[self.structure.operations[spot].server]:
                        needed = limit
                    found += part.weight * end.share * min(needed, limit)
        return found

    def _taken(self, server: int) -> float:
        return 1 - self.numbers.dropped[server] - self.numbers.rejected[server]

    def _workers(self, index: int, server: Server, come: float) -> float:
        """Fraction of a server's workers that would have to be busy to keep up."""
        n, held = self.numbers, 0.0
        for spot in server.operations:
            needed = n.ok[spot] * n.mean[spot] + (1 - n.ok[spot]) * n.failed[spot]
            own = needed - n.wait_ms[index] - n.turn_ms[index]
            held += n.rate[spot] * max(self.structure.operations[spot].cpu_ms, own) / 1000
        busy = held / server.concurrency
        n.turn_ms[index] = 0.0
        if come > 0 and not n.waiting[index]:
            # The wait for one of many workers, as Sakasegawa has it.
            chance = min(busy, _SATURATED)
            queue = chance ** math.sqrt(2 * server.concurrency + 2) / (1 - chance)
            if server.queue is not None:
                queue = min(queue, float(server.queue))
            n.turn_ms[index] = queue / come * 1000
        return busy

    def _collecting(self, server: Server, come: float, index: int) -> float:
        """Fraction of a server's processors that garbage collection takes."""
        return self.collected(server, come, index) / self.numbers.share[index]

    def collected(self, server: Server, come: float, index: int) -> float:
        """CPU seconds a second that garbage collection would need to keep up with requests."""
        heap = server.heap
        return 0.0 if heap is None else heap.cpu_s(come, self._held_mib(index))

    def garbage_bytes(self, index: int, come: float) -> float:
        """What requests have left in the heap of a server until it is collected."""
        heap = self.structure.servers[index].heap
        return 0.0 if heap is None or come <= 0 else heap.garbage_mib(self._held_mib(index)) * 2**20

    def _held_mib(self, index: int) -> float:
        """Memory that requests hold which wait for a server."""
        return self.numbers.waiting[index] * self.structure.servers[index].request_bytes / 2**20

    def _own(self, operation: Operation) -> tuple[float, float]:
        """Mean and variance of a process's time on a request: its work, its queue, what waits before."""
        n, index = self.numbers, operation.server
        busy = n.cores[index]
        if busy > _SATURATED:
            busy = _SATURATED
        if n.wait_ms[index] or self._special[index]:
            return self._crowded(operation, busy)
        cpu_ms, share = operation.cpu_ms, n.share[index]
        server = self.structure.servers[index]
        if share == 1 == server.cores and not n.turn_around_ms[index]:
            mean = cpu_ms / (1 - busy) + operation.latency_ms
        else:
            mean = cpu_ms + chance_ms(cpu_ms, share, busy) + operation.latency_ms
            mean += server.held_back_ms(cpu_ms)
            if share < server.cores or n.turn_around_ms[index]:
                mean += server.slowed_ms(cpu_ms, share, n.turn_around_ms[index])
        return mean, (mean * (operation.jitter + busy)) ** 2

    def _crowded(self, operation: Operation, busy: float) -> tuple[float, float]:
        """The same where more than chance makes requests wait."""
        n, index = self.numbers, operation.server
        server, waits = self.structure.servers[index], n.wait_ms[index]
        share = n.share[index]
        chance = chance_ms(operation.cpu_ms, share, busy)
        if server.queue is not None and n.capacity[index]:
            chance = min(chance, server.queue / n.capacity[index] * 1000)
        if server.deadline_ms:
            chance = min(chance, server.deadline_ms * _UNNOTICED)
        # A queue that is always there takes the place of the one that chance makes.
        standing = waits > 0 and waits >= chance * (1 - _STILL)
        if standing:
            chance = 0.0
        mean = operation.cpu_ms + chance + operation.latency_ms
        mean += server.held_back_ms(operation.cpu_ms)
        mean += server.slowed_ms(operation.cpu_ms, share, n.turn_around_ms[index])
        variance = (mean * (operation.jitter + busy)) ** 2
        if standing:
            mean += waits
            variance += (_WAIT_SPREAD * waits) ** 2
        mean += n.turn_ms[index]
        variance += n.turn_ms[index] ** 2
        if server.heap is not None:
            come = sum(n.rate[spot] for spot in server.operations)
            pause_ms = server.heap.gc.pause_ms
            stopped = server.heap.collections(come, self._held_mib(index)) * pause_ms / 1000
            mean += min(1.0, stopped) * pause_ms / 2
            variance += min(1.0, stopped) * pause_ms**2 / 3
        return mean, variance
