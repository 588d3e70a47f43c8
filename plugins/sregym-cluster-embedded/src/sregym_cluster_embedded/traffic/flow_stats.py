"""Puts numbers into words: what each operation served, called, failed with and wrote."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.arrivals import rate_modulation_of, rate_modulations
from sregym_cluster_embedded.traffic.breaking import admitted, unmade, unmade_calls
from sregym_cluster_embedded.traffic.descriptors import starving
from sregym_cluster_embedded.traffic.failure_attribution import (
    Account,
    Cause,
    chance_of,
    end_of,
    fail,
    not_found,
)
from sregym_cluster_embedded.traffic.latency import Time, share_beyond, within
from sregym_cluster_embedded.traffic.overview import pooled_rates, pulled_operations
from sregym_cluster_embedded.traffic.segments import CallFlow, Flow, LineStream, Load
from sregym_cluster_embedded.traffic.throttling import throttled
from sregym_cluster_embedded.userland.client_errors import error_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.solver import Solver
    from sregym_cluster_embedded.traffic.structure import (
        CallRoute,
        CallSite,
        Destination,
        Part,
        Source,
        Structure,
    )

# What a server calls a request whose caller has gone, and one that it turned away.
_GONE = "context canceled"
_TURNED_AWAY = "server is at its limit"
_FULL = 503

_NO_TIME = Time()

# Fractions below this are nothing.
_NOTHING = 1e-9


class FlowStats:
    """Accounts of the operations of a structure, made as they are asked for.

    Args:
        equations: The structure and its numbers, settled or not.
    """

    def __init__(self, equations: Solver) -> None:
        self.structure: Structure = equations.structure
        self.numbers: FlowState = equations.numbers
        self._equations = equations
        self._made: dict[int, Account] = {}
        self._rhythms: list[RateModulations] | None = None

    @cached_property
    def pulled(self) -> frozenset[int]:
        """Operations that are done for each message taken from a queue."""
        return pulled_operations(self.structure)

    @cached_property
    def _pooled(self) -> dict[int, float]:
        return pooled_rates(self.structure, self.numbers)

    def of(self, index: int) -> Account:
        """The account of an operation."""
        known = self._made.get(index)
        if known is None:
            operation = self.structure.operations[index]
            known = self._made[index] = Account()
            for site in operation.sites:
                self._site(site, known)
            alive = self.numbers.ok[index]
            first = len(known.lines)
            known.lines.extend((alive * line.share, line, {}, first) for line in operation.log)
        return known

    def flow(self, index: int) -> Flow:
        """What was served of an operation."""
        n, operation = self.numbers, self.structure.operations[index]
        account = self.of(index)
        dropped, rejected = n.dropped[operation.server], n.rejected[operation.server]
        taken = 1 - dropped - rejected
        found: tuple[tuple[str, float], ...] = ()
        statuses = account.statuses
        chance = 1.0
        if account.failures or dropped or rejected:
            errors = {text: share * taken for text, share in account.failures.items()}
            if dropped:
                errors[_GONE] = errors.get(_GONE, 0.0) + dropped
            if rejected:
                errors[_TURNED_AWAY] = errors.get(_TURNED_AWAY, 0.0) + rejected
                if operation.status:
                    statuses = {**statuses, _TURNED_AWAY: _FULL}
            found = tuple(sorted((text, round(share, 9)) for text, share in errors.items()))
            chance = account.chance * taken + dropped**2 + rejected**2
            chance = round(chance / sum(errors.values()), 6)
        failed = n.failed[index]
        return Flow(
            operation.name,
            round(n.rate[index], 6),
            round(n.ok[index] * taken, 9),
            found,
            _rounded((n.mean[index], n.variance[index])),
            _rounded(_spread(failed)) if failed else _NO_TIME,
            tuple(account.calls),
            self._rhythm(index),
            chance,
            tuple(sorted(statuses.items())),
            tuple((*callee, round(share * taken, 9)) for callee, share in account.by_calls.items()),
        )

    def _rhythm(self, index: int) -> RateModulations:
        if self._rhythms is None:
            self._rhythms = rate_modulations(self.structure, self.numbers)
        return self._rhythms[index]

    def lines(self, index: int) -> list[LineStream]:
        """What an operation makes its process write."""
        operation = self.structure.operations[index]
        rate = self.numbers.rate[index] * (
            1 - self.numbers.dropped[operation.server] - self.numbers.rejected[operation.server]
        )
        lines = self.of(index).lines
        good = len(lines) - len(operation.log)
        found = [
            LineStream(
                operation.name, number, round(rate * share, 6), line, tuple(facts.items()),
                None if event == number else event, number >= good,
            )
            for number, (share, line, facts, event) in enumerate(lines)
            if share > 0
        ]  # fmt: skip
        return [*found, *self._standing(index, len(lines)), *starving(self.structure, index)]

    def _standing(self, index: int, number: int) -> Iterator[LineStream]:
        """Lines about records that cannot be read, from number `number` on."""
        for queue in self.structure.queues:
            for consumer in queue.consumers:
                if consumer.operation != index:
                    continue
                rate = self._equations.standing(queue, consumer) / consumer.poison.every_s
                name = self.structure.operations[index].name
                for line in consumer.poison.log:
                    if rate > 0:
                        yield LineStream(
                            name, number, round(rate, 6), line, (("name", queue.key[1]),)
                        )
                    number += 1

    def load(self, index: int) -> Load:
        """How a process fares."""
        n, server = self.numbers, self.structure.servers[index]
        operations = self.structure.operations
        come = sum(n.rate[spot] for spot in server.operations)
        taken = come * (1 - n.dropped[index] - n.rejected[index])
        wanted = sum(n.rate[spot] * operations[spot].cpu_ms for spot in server.operations) / 1000
        wanted *= taken / come if come else 0.0
        flying = self._equations.in_flight(index)
        per_request = wanted / taken if taken else 0.0
        collecting = self._equations.collected(server, taken, index)
        used = min(wanted + collecting, n.share[index]) + n.computed[index]
        stopped = 0.0
        if server.limited:
            stopped = throttled(used, per_request, server.room, always=server.threads > 0)
        return Load(
            round(used, 9),
            round(stopped, 6),
            round(flying, 6),
            round(n.waiting[index], 6),
            round(come * n.dropped[index], 6),
            round(flying * server.request_bytes + self._equations.garbage_bytes(index, come)),
            self.structure.pools.get(server.ref, ()),
            round(self._pooled.get(index, 0.0), 6) if server.ref in self.structure.pools else 0.0,
            self.structure.room.get(server.ref),
            server.threads,
            round(n.computed[index], 9),
        )

    def _site(self, site: CallSite, account: Account) -> None:
        """What failed calls of a site do to the operation, as the caller words it."""
        n = self.numbers
        reached = n.made[site.index] / site.times
        causes = self._causes(site)
        if reached > 0:
            if site.name:  # what a request does to itself is no call
                account.calls.extend(self._calls(site, causes))
            causes.extend(unmade(site, n))
        if not causes or reached <= 0:
            return
        on = site.client.retry.on if site.retries else ()
        again = sum(cause.share for cause in causes if cause.kind in on)
        final = sum(cause.share for cause in causes if cause.kind not in on)
        attempts = n.needed[site.index]
        exhausted = max(0.0, n.failing[site.index] - final * attempts)
        scale = 1.0
        if site.times > 1 and n.failing[site.index] > 0:
            failing = n.failing[site.index]
            scale = (1 - (1 - failing) ** site.times) / failing
        for cause in causes:
            ends = exhausted / again if cause.kind in on else attempts
            share = reached * cause.share * ends * scale
            if share > _NOTHING:
                kind, text = site.fails_as
                told = cause._replace(kind=kind, text=text) if kind else cause
                fail(account, site, share, told)

    def _causes(self, site: CallSite) -> list[Cause]:
        """The ways in which attempts of a site fail that have a connection."""
        n, found = self.numbers, []
        let_in = admitted(site, n)
        for route in site.routes:
            share = route.share * let_in
            if route.kind:
                if share > 0:
                    found.append(Cause(route.kind, route.text, share, route, route.chance))
                continue
            unopened = n.unopened[route.opening] if route.opening >= 0 else 0.0
            if unopened:
                opening = self.structure.openings[route.opening]
                text = error_text(site.client, opening.kind, route.target.facts, opening.text)
                found.append(Cause(opening.kind, text, share * unopened, route, unopened))
                share *= 1 - unopened
            if route.callee < 0:
                continue
            callee = route.callee
            ok, late, slow = n.ok[callee], n.late[route.number], n.slow[route.number]
            rejected = n.rejected[self.structure.operations[callee].server]
            if rejected:
                text = error_text(site.client, "overloaded", route.target.facts)
                found.append(Cause("overloaded", text, share * rejected, route, rejected))
                share *= 1 - rejected
            if ok < 1:
                known, usual = self.of(callee), self.structure.operations[callee].status
                chance = known.left_to_chance()
                for inner, part in known.failures.items():
                    text = error_text(site.client, "server", route.target.facts, inner)
                    status = known.statuses.get(inner, usual)
                    part *= share * (1 - slow)
                    found.append(Cause("server", text, part, route, chance, status))
            timeouts = ok * late + (1 - ok) * slow
            if timeouts > 0:
                text = error_text(site.client, "timeout", route.target.facts)
                found.append(Cause("timeout", text, share * timeouts, route, timeouts))
        return [cause for cause in found if cause.share > _NOTHING]

    def _calls(self, site: CallSite, causes: list[Cause]) -> list[CallFlow]:
        n = self.numbers
        tried = n.calls[site.index]
        again = 1 - 1 / n.attempts[site.index]
        found: list[CallFlow] = []
        let_in = admitted(site, n)
        for route in site.routes:
            mine = [cause for cause in causes if cause.route is route] if causes else causes
            named = site.operation
            time = failed = _NO_TIME
            if route.callee >= 0:
                served = self.structure.operations[route.callee]
                named = served.name if served.name != "*" else site.operation
                time = Time(n.mean[route.callee], n.variance[route.callee]).then(route.transit)
                if n.late[route.number]:
                    time = Time(*within(time.mean_ms, time.variance, site.timeout_ms))
            errors: tuple[tuple[str, str, float], ...] = ()
            ok = chance = 1.0
            if mine:
                failed = _spread(self._failed_ms(site, route))
                chance = chance_of(mine)
                ok = max(0.0, 1 - sum(cause.share for cause in mine) / route.share / let_in)
                errors = tuple(
                    (cause.kind, cause.text, round(cause.share / route.share / let_in, 9))
                    for cause in mine
                )
            rate = tried * route.share * let_in
            found.append(
                CallFlow(
                    site.name, route.target.facts.get("host", ""), end_of(route), named,
                    site.collection, site.stage, round(rate, 6), round(rate * again, 6), round(ok, 9), errors,
                    _rounded(time), _rounded(failed), chance, route.search,
                )
            )  # fmt: skip
        if let_in < 1:
            found.extend(unmade_calls(site, n, found[0], again))
        return found if let_in > 0 else found[len(site.routes) :]

    def _failed_ms(self, site: CallSite, route: CallRoute) -> float:
        """Mean time of attempts that fail."""
        n = self.numbers
        if route.kind:
            return route.took_ms
        ok, late, slow = n.ok[route.callee], n.late[route.number], n.slow[route.number]
        timeouts = ok * late + (1 - ok) * slow
        errors = (1 - ok) * (1 - slow)
        spent = timeouts * site.timeout_ms + errors * min(n.failed[route.callee], site.timeout_ms)
        return spent / (timeouts + errors) if timeouts + errors else 1.0

    def sent(self, source: Source, rate: float) -> tuple[Flow, ...]:
        """What a load generator saw of its requests."""
        return tuple(self._part(source, part, rate * part.weight) for part in source.parts)

    def _part(self, source: Source, part: Part, rate: float) -> Flow:
        limit_ms = source.timeout_s * 1000
        ok = mean = square = failed_ms = chance = 0.0
        errors: dict[str, float] = {}
        for end in part.ends:
            good, time, failing = self._ending(end, limit_ms)
            for status, share, took_ms, left in failing:
                if share > _NOTHING:
                    errors[status] = errors.get(status, 0.0) + end.share * share
                    failed_ms += end.share * share * took_ms
                    chance += end.share * share * left
            here = end.share * good
            ok += here
            mean += here * time.mean_ms
            square += here * (time.variance + time.mean_ms**2)
        time = Time(mean / ok, max(0.0, square / ok - (mean / ok) ** 2)) if ok > 0 else Time()
        lost = sum(errors.values())
        found = tuple(
            sorted((status, round(share, 9)) for status, share in errors.items() if share > 1e-9)
        )
        failed = _spread(failed_ms / lost) if lost else Time()
        rhythm = rate_modulation_of(source.ref, part.name, round(rate, 6))
        return Flow(
            part.name, rate, round(ok, 9), found, _rounded(time), _rounded(failed),
            not_found(part, rate), rhythm,
            round(chance / lost, 6) if lost else 1.0,
        )  # fmt: skip

    def _ending(
        self, end: Destination, limit_ms: float
    ) -> tuple[float, Time, list[tuple[str, float, float, float]]]:
        """Of requests that end in one place: share that is good, its time, and what fails how.

        What fails: its status, share, ms, and what is left to chance of it.
        """
        n, callee = self.numbers, end.callee
        if callee < 0:
            took_ms = limit_ms if end.status == "timeout" else 1.0
            return 0.0, Time(), [(end.status, 1.0, took_ms, 1.0)]
        server = self.structure.operations[callee].server
        dropped, rejected, ok = n.dropped[server], n.rejected[server], n.ok[callee]
        time = Time(n.mean[callee], n.variance[callee])
        failed_ms = n.failed[callee]
        if end.transit is not None:
            time = time.then(end.transit)
            failed_ms += end.transit.mean_ms
        late = max(end.lost, time.beyond(limit_ms))
        slow = share_beyond(failed_ms, (0.1 * failed_ms) ** 2, limit_ms) if ok < 1 else 0.0
        served = 1 - rejected - dropped
        vain = dropped + served * (ok * late + (1 - ok) * slow)
        left = self.of(callee).left_to_chance() if ok < 1 else 1.0
        told = served * (1 - ok) * (1 - slow)
        failing = [
            (str(_FULL), rejected, 1.0, rejected),
            ("timeout", vain, limit_ms, vain),
            *((text, told * part, failed_ms, left) for text, part in self._answered(end)),
        ]
        if late:
            time = Time(*within(time.mean_ms, time.variance, limit_ms))
        return served * ok * (1 - late), time, failing

    def _answered(self, end: Destination) -> list[tuple[str, float]]:
        """The statuses that failing requests are answered with, and the part that has each."""
        if self.numbers.ok[end.callee] >= 1:
            return [(end.status, 1.0)]
        return self.of(end.callee).answered(end.status)


def _spread(mean_ms: float) -> Time:
    return Time(mean_ms, (0.1 * mean_ms) ** 2)


def _rounded(time: tuple[float, float]) -> Time:
    mean_ms, variance = time
    if not mean_ms and not variance:
        return _NO_TIME
    return tuple.__new__(Time, (round(mean_ms, 6), round(variance, 6)))
