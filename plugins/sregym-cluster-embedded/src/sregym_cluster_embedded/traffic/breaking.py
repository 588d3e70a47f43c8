"""Circuit breakers of clients: they open when too many calls fail, and let a few through after a while."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import amount, count, expand, seconds

from sregym_cluster_embedded.traffic.failure_attribution import Cause
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.userland.client_errors import error_text
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.life import write_log
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_apps.model import Line

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.segments import CallFlow
    from sregym_cluster_embedded.traffic.structure import CallSite, Structure
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

CLOSED, OPEN, HALF_OPEN = 0.0, 1.0, 2.0
_STATES = {CLOSED: "CLOSED", OPEN: "OPEN", HALF_OPEN: "HALF_OPEN"}
# A moving share that is as near to what it moves to has come to rest.
_NEAR = 1e-3


class Breaker(NamedTuple):
    """The circuit breaker of a client of one process.

    Attributes:
        key: Who calls, and through which client.
        sites: Indices of the places from which calls are made through it.
        rate: Share of failing calls at which it opens.
        calls: It judges no fewer than so many in its window.
        window_s: Over which it counts.
        open_s: How long it stays open.
        trials: Calls that it lets through then, before it judges again.
        log: What its process writes when its state changes.
    """

    key: tuple[ContainerRef, str]
    sites: list[int]
    rate: float
    calls: int
    window_s: float
    open_s: float
    trials: int
    log: tuple[Line, ...]


def set_breakers(made: Structure) -> None:
    """Give the calls of a structure the breakers of their clients."""
    known: dict[tuple[ContainerRef, str], int] = {}
    for operation in made.operations:
        for site in operation.sites:
            policy = site.client.breaker
            rate = 0.0 if policy is None else amount(policy.rate)
            if policy is None or not rate or not site.name:
                continue
            key = (operation.ref, site.name)
            index = known.setdefault(key, len(made.breakers))
            if index == len(made.breakers):
                made.breakers.append(
                    Breaker(
                        key, [], min(1.0, rate), count(policy.calls, 0),
                        seconds(policy.window, 10.0), seconds(policy.open, 60.0),
                        max(1, count(policy.trials, 1)), policy.log,
                    )
                )  # fmt: skip
            made.breakers[index].sites.append(site.index)
            site.breaker = index


class Breaking:
    """Breakers of a structure, whose numbers are changed in place.

    Args:
        structure: Who calls whom.
        numbers: As they are.
    """

    def __init__(self, structure: Structure, numbers: FlowState) -> None:
        self._breakers = structure.breakers
        self._numbers = numbers

    def move_on(self, passed_s: float) -> float:
        """Let time pass; 1 where a breaker is not closed, else how far the largest share moved."""
        n, moved = self._numbers, 0.0
        for index, breaker in enumerate(self._breakers):
            before = n.circuit[index]
            if before == OPEN:
                moved = 1.0
                n.shut_s[index] = max(0.0, n.shut_s[index] - passed_s)
                if not n.shut_s[index]:
                    n.circuit[index], n.barred[index] = HALF_OPEN, 0.0
            else:
                rate, share = self._seen(breaker)
                moved = max(moved, self._count(index, breaker, passed_s, rate, share))
        return moved

    def restless(self) -> bool:
        """Whether a breaker is open, tries, or is about to open."""
        n = self._numbers
        for index, breaker in enumerate(self._breakers):
            if n.circuit[index] != CLOSED or n.tripping[index] > _NEAR:
                return True
            if self._seen(breaker)[1] >= breaker.rate:
                return True
        return False

    def _count(
        self, index: int, breaker: Breaker, passed_s: float, rate: float, share: float
    ) -> float:
        """Judge what was let through since the last look; how far the share of failures moved."""
        n, before = self._numbers, self._numbers.tripping[index]
        if n.circuit[index] == HALF_OPEN:
            if rate * passed_s < breaker.trials and share < breaker.rate:
                return 1.0
            self._turn(index, breaker, opens=share >= breaker.rate)
            return 1.0
        after = before + (share - before) * (1 - math.exp(-passed_s / breaker.window_s))
        n.tripping[index] = after if after > _NEAR else 0.0
        # The share only comes near what it moves to.
        due = after >= breaker.rate * (1 - math.exp(-3)) and share >= breaker.rate
        if due and rate * breaker.window_s >= breaker.calls:
            self._turn(index, breaker, opens=True)
        return abs(n.tripping[index] - before)

    def _turn(self, index: int, breaker: Breaker, *, opens: bool) -> None:
        n = self._numbers
        n.tripping[index] = 0.0
        n.circuit[index] = OPEN if opens else CLOSED
        n.barred[index] = 1.0 if opens else 0.0
        n.shut_s[index] = breaker.open_s if opens else 0.0

    def _seen(self, breaker: Breaker) -> tuple[float, float]:
        """Attempts a second that it lets through, and which share of them fails."""
        n, come, failing = self._numbers, 0.0, 0.0
        for site in breaker.sites:
            come += n.calls[site]
            failing += n.calls[site] * n.faulty[site]
        return come, failing / come if come else 0.0


def soonest(structure: Structure, numbers: FlowState) -> float:
    """Seconds until a breaker does something next; infinite where none will."""
    found = math.inf
    for index in range(len(structure.breakers)):
        if numbers.circuit[index] == OPEN:
            found = min(found, numbers.shut_s[index])
        elif numbers.circuit[index] == HALF_OPEN or numbers.tripping[index]:
            found = min(found, 1.0)
    return found


def log_breaker_changes(
    world: World, structure: Structure, before: FlowState, after: FlowState
) -> None:
    """Let processes write that their breakers changed."""
    runtime: Runtime = world.service(RUNTIME)
    for index, breaker in enumerate(structure.breakers):
        was, now = before.circuit[index], after.circuit[index]
        ref, name = breaker.key
        process = process_of(world, ref) if was != now and breaker.log else None
        program = None if process is None else runtime.program_of(process)
        if process is not None and program is not None and process.running:
            facts = {"name": name, "from": _STATES[was], "to": _STATES[now]}
            said = [
                line.model_copy(update={"text": expand(line.text, facts)}) for line in breaker.log
            ]
            write_log(world, ref, program, said)


def barred(site: CallSite, n: FlowState) -> float:
    """The fraction of attempts that an open breaker stops."""
    return n.barred[site.breaker] if site.breaker >= 0 else 0.0


def admitted(site: CallSite, n: FlowState) -> float:
    """The fraction of attempts that neither a breaker stops nor want of a connection."""
    return (1 - n.shed[site.index]) * (1 - barred(site, n))


def unmade(site: CallSite, n: FlowState) -> list[Cause]:
    """Attempts that end in the client: no connection of its pool in time, or an open breaker."""
    shed, stopped = n.shed[site.index], barred(site, n)
    return [
        Cause(kind, error_text(site.client, kind, route.target.facts), route.share * share, route)
        for kind, share in (("timeout", shed * (1 - stopped)), ("open", stopped))
        if share > 0
        for route in site.routes
    ]


def unmade_calls(site: CallSite, n: FlowState, like: CallFlow, again: float) -> list[CallFlow]:
    """The same as calls that never left; `like` is one of the site, `again` what repeats one."""
    shed, stopped, tried = n.shed[site.index], barred(site, n), n.calls[site.index]
    found = []
    for kind, share, took_ms in (
        ("timeout", shed * (1 - stopped), site.timeout_ms),
        ("open", stopped, 0.0),
    ):
        if share <= 0:
            continue
        text = error_text(site.client, kind, site.routes[0].target.facts)
        took = Time(round(took_ms, 6))
        found.append(
            like._replace(
                callee=None, rate=round(tried * share, 6), retries=round(tried * share * again, 6),
                ok=0.0, errors=((kind, text, 1.0),), time=Time(), failed_time=took, chance=1.0,
            )
        )  # fmt: skip
    return found
