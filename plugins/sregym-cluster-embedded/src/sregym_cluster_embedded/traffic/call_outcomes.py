"""Outcomes of calls for a request: latency, failures, retries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.latency import far_below, followed, share_beyond, within
from sregym_cluster_embedded.traffic.openings import share_without
from sregym_cluster_embedded.traffic.structure import CacheLookup, CallStep

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import CallSite, ParallelCalls, Step, Structure

# Less than this of what is attempted is nothing.
_NO_SHARE = 1e-7

# Part of the way to its new value that the number of attempts goes in one round.
_DAMPING = 0.5


class Calling:
    """Calls of a structure, whose numbers are changed in place.

    Args:
        structure: Who calls whom.
        numbers: As they are.

    Attributes:
        change: The largest change of what is sent since it was set to 0.
        damped: Whether attempts go only a part of the way to their new values.
    """

    def __init__(self, structure: Structure, numbers: FlowState) -> None:
        self._operations = structure.operations
        self._openings = structure.openings
        self._numbers = numbers
        self.change = 0.0
        self.damped = False

    def steps(
        self, steps: tuple[Step, ...], alive: float, mean: float, variance: float
    ) -> tuple[float, float, float, float]:
        """Calls in sequence: requests alive after them, mean and variance of their time, lost time.

        The last is the sum of fraction times milliseconds over all that fail. Plain numbers and no
        `Time`: nothing else is done as often.
        """
        lost_ms = 0.0
        n = self._numbers
        for step in steps:
            if isinstance(step, CallStep):
                site, share = step
                callee = site.straight
                if callee >= 0 and self._undisturbed(site, alive * share):
                    spent, spread = n.mean[callee], n.variance[callee]
                    mean += share * spent
                    variance += share * (spread + (1 - share) * spent * spent)
                    continue
                alive, mean, variance, lost = self._do(site, share, alive, mean, variance)
            elif isinstance(step, CacheLookup):
                alive, mean, variance, lost = self._aside(step, alive, mean, variance)
            else:
                alive, mean, variance, lost = self._together(step, alive, mean, variance)
            lost_ms += lost
        return alive, mean, variance, lost_ms

    def _together(
        self, step: ParallelCalls, alive: float, mean: float, variance: float
    ) -> tuple[float, float, float, float]:
        left, longest, lost_ms = alive, (mean, variance), 0.0
        for part in step.parts:
            after, needed, spread, gone = self.steps(part, alive, mean, variance)
            left *= after / alive if alive else 0.0
            longest = max(longest, (needed, spread))
            lost_ms += gone
        return left, *longest, lost_ms

    def _aside(
        self, step: CacheLookup, alive: float, mean: float, variance: float
    ) -> tuple[float, float, float, float]:
        hit_rate = step.hit_rate
        if step.fill >= 0:
            hit_rate *= self._numbers.warm[step.fill]
        look = step.look
        alive, mean, variance, lost_ms = self._do(look.site, look.share, alive, mean, variance)
        missed = 1 - hit_rate
        if look.site.reaction.then == "ignore":
            missed += hit_rate * self._numbers.failing[look.site.index]
        if missed <= 0 or alive <= 0:
            self.steps(step.miss, 0.0, 0.0, 0.0)
            return alive, mean, variance, lost_ms
        after, needed, spread, gone = self.steps(step.miss, alive * missed, 0.0, 0.0)
        if step.fill >= 0:
            # A miss that gets no answer leaves its key as cold as it was.
            self._numbers.filled[step.fill] = after / (alive * missed)
        mean, variance = followed(mean, variance, needed, spread, missed)
        return alive * (1 - missed) + after, mean, variance, lost_ms + gone

    def _do(
        self, site: CallSite, share: float, alive: float, before_ms: float, before: float
    ) -> tuple[float, float, float, float]:
        n, spot, times = self._numbers, site.index, site.times
        quick = self._from_pool(site) if site.pooled >= 0 else None
        if quick is None:
            failing, mean, variance, failed_ms = self._call(site)
        else:
            mean, variance = quick
            failing = failed_ms = 0.0
        made = alive * share * times
        change = abs(made - n.made[spot])
        if change:
            n.made[spot] = made
            if change > self.change:
                self.change = change
        if times > 1:
            failing = 1 - (1 - failing) ** times
            mean, variance = mean * times, variance * times
        if times < 1:
            share *= times
        if not failing:
            return alive, *followed(before_ms, before, mean, variance, share), 0.0
        if site.reaction.then == "ignore":
            spread = failing * (1 - failing) * (mean - failed_ms) ** 2
            mean = (1 - failing) * mean + failing * failed_ms
            return alive, *followed(before_ms, before, mean, variance + spread, share), 0.0
        lost = alive * share * failing
        lost_ms = lost * (before_ms + failed_ms)
        return alive - lost, *followed(before_ms, before, mean, variance, share), lost_ms

    def _undisturbed(self, site: CallSite, made: float) -> bool:
        """Whether nothing comes between this call and its answer: then there is no more to it."""
        n, callee, spot = self._numbers, site.straight, site.index
        mean = n.mean[callee]
        if n.ok[callee] < 1 or n.attempts[spot] != 1.0:
            return False
        if not far_below(mean, n.variance[callee] / (mean * mean), site.timeout_ms):
            return False
        server, opening = self._operations[callee].server, site.routes[0].opening
        if n.dropped[server] or n.rejected[server] or (opening >= 0 and n.unopened[opening]):
            return False
        if site.breaker >= 0:
            if n.barred[site.breaker]:
                return False
            n.faulty[spot] = 0.0
        if n.made[spot] != made:
            self.change = max(self.change, abs(made - n.made[spot]))
            n.made[spot] = made
        n.failing[spot] = n.late[site.routes[0].number] = 0.0
        n.needed[spot] = 1.0
        return True

    def _from_pool(self, site: CallSite) -> tuple[float, float] | None:
        """Mean and variance of a call that waits for a connection at most; None where more happens."""
        n, callee, spot, route = self._numbers, site.pooled, site.index, site.routes[0]
        mean, spread, size = n.mean[callee], n.variance[callee], site.client.pool or 1
        if n.ok[callee] < 1 or mean <= 0 or n.attempts[spot] != 1.0 or n.shed[spot]:
            return None
        if site.breaker >= 0 or not far_below(mean, spread / (mean * mean), site.timeout_ms):
            return None
        server = self._operations[callee].server
        if (
            n.dropped[server]
            or n.rejected[server]
            or (route.opening >= 0 and n.unopened[route.opening])
        ):
            return None
        used = n.calls[spot] * mean / 1000 / size
        if used >= 1:
            return None
        n.held[spot] = mean
        n.late[route.number] = n.slow[route.number] = n.failing[spot] = 0.0
        n.needed[spot] = 1.0
        waits = mean / size * used ** math.sqrt(2 * size + 2) / (1 - used)
        return mean + min(site.timeout_ms, waits), max(0.0, spread + mean * mean - mean * mean)

    def _call(self, site: CallSite) -> tuple[float, float, float, float]:
        """One call: fraction failing in the end, mean and variance of the time, time of failures."""
        n, operations, limit = self._numbers, self._operations, site.timeout_ms
        good = mean = square = again = final = lost_ms = late_share = 0.0
        on = site.client.retry.on if site.retries else ()
        for route in site.routes:
            share, callee = route.share, route.callee
            if route.kind:
                lost_ms += share * route.took_ms
                if route.kind in on:
                    again += share
                else:
                    final += share
                continue
            if route.opening >= 0 and n.unopened[route.opening]:
                refused = share * n.unopened[route.opening]
                lost_ms += refused
                if self._openings[route.opening].kind in on:
                    again += refused
                else:
                    final += refused
                share -= refused
            if callee < 0:
                good += share
                continue
            server = operations[callee].server
            ok, spent, spread = n.ok[callee], n.mean[callee], n.variance[callee]
            if route.transit.mean_ms:
                spent += route.transit.mean_ms
                spread += route.transit.variance
            late = route.lost
            if spent > 0 and not far_below(spent, spread / (spent * spent), limit):
                late = max(late, share_beyond(spent, spread, limit))
            dropped, rejected = n.dropped[server], n.rejected[server]
            if dropped:
                late = dropped + (1 - dropped) * late
            slow = 0.0
            if ok < 1:
                needed = n.failed[callee] + route.transit.mean_ms
                slow = share_beyond(needed, (0.1 * needed) ** 2, limit)
                if dropped:
                    slow = dropped + (1 - dropped) * slow
            n.late[route.number], n.slow[route.number] = late, slow
            here = share * (1 - rejected) * ok * (1 - late)
            good += here
            if late:
                spent, spread = within(spent, spread, limit)
            mean += here * spent
            square += here * (spread + spent * spent)
            if here < share:
                late_way = share * (1 - rejected) * (ok * late + (1 - ok) * slow)
                errors = share * (1 - rejected) * (1 - ok) * (1 - slow)
                lost_ms += late_way * limit + errors * min(n.failed[callee], limit)
                lost_ms += share * rejected * 1.0
                late_share += late_way
                for kind, part in (
                    ("timeout", late_way),
                    ("server", errors),
                    ("overloaded", share * rejected),
                ):
                    if kind in on:
                        again += part
                    else:
                        final += part
        if good:
            mean /= good
            square = max(0.0, square / good - mean * mean)
        n.held[site.index] = lost_ms + good * mean
        if site.client.pool:
            wait_ms, shed = self._pool(site)
            mean += wait_ms
            again, final = again * (1 - shed), final * (1 - shed)
            again, final = (again + shed, final) if "timeout" in on else (again, final + shed)
            lost_ms = lost_ms * (1 - shed) + shed * limit
            late_share = late_share * (1 - shed) + shed
        if site.breaker >= 0:
            n.faulty[site.index] = again + final
            stopped = n.barred[site.breaker]
            if stopped:
                again, lost_ms, late_share = (
                    part * (1 - stopped) for part in (again, lost_ms, late_share)
                )
                final = final * (1 - stopped) + stopped
        if again or final:
            return self._tries(site, again, final, late_share, mean, square, lost_ms)
        spot = site.index
        n.needed[spot], n.failing[spot] = 1.0, 0.0
        if n.attempts[spot] != 1.0:
            self._attempt(spot, 1.0)
        return 0.0, mean, square, 0.0

    def open(self) -> None:
        """Compare the connections that calls need with those that there can be."""
        n = self._numbers
        for index, opening in enumerate(self._openings):
            tried = busy = 0.0
            for spot, route in opening.routes:
                rate = n.calls[spot] * route.share * (1 - n.shed[spot])
                tried += rate
                if route.callee >= 0:
                    ok = n.ok[route.callee]
                    busy += rate * (ok * n.mean[route.callee] + (1 - ok) * n.failed[route.callee])
            before = n.unopened[index]
            if not tried:
                continue
            wanted = max(0.0, 1 - opening.per_s / tried)
            if opening.most is not None:
                wanted = share_without(opening.most, busy / 1000)
            if self.damped:
                wanted = before + (wanted - before) * _DAMPING / 2
            n.unopened[index] = wanted if wanted > _NO_SHARE else 0.0
            self.change = max(self.change, abs(n.unopened[index] - before))

    def _pool(self, site: CallSite) -> tuple[float, float]:
        """How long an attempt waits for a connection, and the fraction that never gets one."""
        n, spot, size = self._numbers, site.index, site.client.pool or 1
        used = n.calls[spot] * n.held[spot] / 1000 / size
        before = n.shed[spot]
        n.shed[spot] = max(0.0, 1 - 1 / used) if used > 1 else 0.0
        if self.damped:
            n.shed[spot] = before + (n.shed[spot] - before) * _DAMPING / 2
            if n.shed[spot] < 1e-6:
                n.shed[spot] = 0.0
        self.change = max(self.change, abs(n.shed[spot] - before))
        if used >= 1:
            return site.timeout_ms, n.shed[spot]
        waits = n.held[spot] / size * used ** math.sqrt(2 * size + 2) / (1 - used)
        return min(site.timeout_ms, waits), 0.0

    def _tries(
        self,
        site: CallSite,
        again: float,
        final: float,
        late: float,
        mean: float,
        variance: float,
        lost_ms: float,
    ) -> tuple[float, float, float, float]:
        """What retries make of attempts: `again` and `final` are the fractions that fail."""
        n, spot = self._numbers, site.index
        failing = again + final
        failed_ms = lost_ms / failing if failing else 0.0
        attempts = 1.0
        if again > 0:
            timed_out = min(1.0, late / again)
            most = site.retries + (site.retries_within_deadline - site.retries) * timed_out
            rest = again ** (most + 1)
            attempts = most + 1 if again > 1 - 1e-9 else (1 - rest) / (1 - again)
            failing = rest + final * attempts
            tries = (
                attempts - 1
                if again > 1 - 1e-9
                else again / (1 - again) - (most + 1) * rest / (1 - rest)
            )
            pause = failed_ms + site.pause_ms
            mean += max(0.0, tries) * pause
            variance += max(0.0, tries) * pause**2
            failed_ms = attempts * failed_ms + (attempts - 1) * site.pause_ms
        n.needed[spot], n.failing[spot] = attempts, min(1.0, failing)
        self._attempt(spot, attempts)
        return min(1.0, failing), mean, variance, failed_ms

    def _attempt(self, spot: int, attempts: float) -> None:
        """Let the calls of a site be attempted so often, or on the way there."""
        n = self._numbers
        before = n.attempts[spot]
        if self.damped:
            attempts = before + (attempts - before) * _DAMPING
        change = abs(attempts - before)
        if change > self.change:
            self.change = change
        n.attempts[spot] = attempts
