"""Why calls fail, and what that makes of the operation that makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Line, expand

from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.segments import CallFlow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.structure import CallRoute, CallSite, Part


# What a server passes on of a callee that answers with no status.
_BROKEN = 500


class Cause(NamedTuple):
    """One way in which attempts of a call fail.

    Attributes:
        kind: As in `ErrorKind`.
        text: The caller's words.
        share: Fraction of the attempts.
        route: Where they end.
        chance: As in `segments.Flow`.
        status: What the callee answered, where that is an HTTP status; 0 otherwise.
    """

    kind: str
    text: str
    share: float
    route: CallRoute
    chance: float = 1.0
    status: int = 0


@dataclass(slots=True)
class Account:
    """What becomes of one operation.

    Attributes:
        failures: Words -> share.
        statuses: Words -> HTTP status, where that is not the one of its failures in general.
        lines: Share, line, facts, and the number of the first line that is written with it.
        calls: What it calls.
        chance: Sum of what is left to chance of each failure, times its share.
        panics: Share of the requests that end their process, and with which code.
        last_words: Share, and the lines with facts that such a request leaves.
        by_calls: Process that was called (None where none was reached) and its name -> share of the
            requests that fail because of such calls.
    """

    failures: dict[str, float] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    lines: list[tuple[float, Line, dict[str, str], int]] = field(default_factory=list)
    calls: list[CallFlow] = field(default_factory=list)
    chance: float = 0.0
    panics: tuple[float, int] = (0.0, 2)
    last_words: list[tuple[float, tuple[Line, ...], dict[str, str]]] = field(default_factory=list)
    by_calls: dict[tuple[ContainerRef | None, str], float] = field(default_factory=dict)

    def left_to_chance(self) -> float:
        """As `Flow.chance`, on average."""
        whole = sum(self.failures.values())
        return round(self.chance / whole, 6) if whole else 1.0

    def answered(self, usual: str) -> list[tuple[str, float]]:
        """The statuses that failing requests are answered with, and the part that has each."""
        if not self.statuses:
            return [(usual, 1.0)]
        found: dict[str, float] = {}
        whole = sum(self.failures.values())
        for text, share in self.failures.items():
            status = str(self.statuses.get(text, usual))
            found[status] = found.get(status, 0.0) + share / whole
        return sorted(found.items())


def chance_of(causes: Sequence[Cause]) -> float:
    """What is left to chance of them, on average."""
    whole = sum(cause.share for cause in causes)
    return round(sum(cause.share * cause.chance for cause in causes) / whole, 6)


def end_of(route: CallRoute) -> ContainerRef | None:
    """The process that a way reaches; None where it ends before one."""
    return route.target.ref if route.callee >= 0 or not route.kind else None


def fail(account: Account, site: CallSite, share: float, cause: Cause) -> None:
    """Enter what a cause does to a share of the requests of an operation."""
    facts = {**cause.route.target.facts, "operation": site.operation, "error": cause.text}
    if site.collection:
        facts["collection"] = site.collection
    reaction = site.reaction
    status = reaction.statuses.get(cause.kind)  # type: ignore[call-overload]  # any kind is one
    if status == 0:
        status = cause.status
        facts["status"] = str(status or _BROKEN)
    written = [line for line in reaction.log if not line.kinds or cause.kind in line.kinds]
    if reaction.then == "panic":
        # A program that logs these logs nothing after them.
        account.last_words.append((share, tuple(written), facts))
    else:
        first = len(account.lines)
        account.lines.extend((share * line.share, line, facts, first) for line in written)
    if reaction.then == "ignore":
        return
    returned = expand(reaction.returns, facts)
    account.failures[returned] = account.failures.get(returned, 0.0) + share
    if status is not None:
        account.statuses[returned] = status or _BROKEN
    account.chance += share * cause.chance
    if site.name:  # what a request does to itself is no call
        callee = end_of(cause.route), facts.get("name", "")
        account.by_calls[callee] = account.by_calls.get(callee, 0.0) + share
    if reaction.then == "panic":
        account.panics = (account.panics[0] + share, reaction.code)


def not_found(part: Part, rate: float) -> tuple[CallFlow, ...]:
    """Requests of a load generator that end because the name of its target is not found."""
    return tuple(
        CallFlow(
            "", end.unknown, None, part.name, "", 0, round(rate * end.share, 6), 0.0, 0.0,
            (("dns", end.why, 1.0),), Time(), Time(),
        )
        for end in part.ends
        if end.unknown
    )  # fmt: skip
