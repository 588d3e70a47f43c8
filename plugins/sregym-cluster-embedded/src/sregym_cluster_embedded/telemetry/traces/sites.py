"""The calls of an operation as a trace makes them: what the model says joined with what flowed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_apps.model import (
    AnyCall,
    CacheAside,
    Call,
    OnError,
    Operation,
    ServiceProgram,
    expand,
)

from sregym_cluster_embedded.telemetry.traces.draws import NEGLIGIBLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.traffic.segments import CallFlow, Flow

# More attempts than any policy makes.
_MOST_ATTEMPTS = 64


@dataclass(frozen=True)
class Failure:
    """One way in which a call fails.

    Attributes:
        flow: The calls that fail so: one target's.
        kind: As in `ErrorKind`.
        words: What the caller's library says.
        returned: What the operation hands to its own caller for it.
        share: Fraction of the attempts of the whole site.
        again: Whether it is tried again.
    """

    flow: CallFlow
    kind: str
    words: str
    returned: str
    share: float
    again: bool


@dataclass(frozen=True)
class TracedCall:
    """One call of an operation, whatever the targets it is spread over.

    Attributes:
        caller: The operation that calls.
        turn: Which of its calls of the same thing it is, from 1.
        stage: Sites of one stage are called at once.
        client: Name of the client.
        operation: What is called.
        collection: For datastores.
        targets: What flowed to each target.
        made: Calls per request that gets so far, retries not counted.
        ok: Fraction of attempts that succeeds.
        attempts: How often a call is tried before it is given up.
        lost: Fraction of calls that fail for good.
        reaction: What a failure does.
        failures: The ways in which it fails.
        look: Position of the look into a cache whose misses make this call; None for others.
    """

    caller: str
    turn: int
    stage: int
    client: str
    operation: str
    collection: str
    targets: tuple[CallFlow, ...]
    made: float
    ok: float
    attempts: int
    lost: float
    reaction: OnError
    failures: tuple[Failure, ...]
    look: int | None

    @property
    def fatal(self) -> bool:
        """Whether its failure fails the request."""
        return self.reaction.then != "ignore"


def sites_of(program: ServiceProgram, flow: Flow) -> tuple[TracedCall, ...]:
    """The calls that an operation made while a flow was in effect, in order."""
    behaviour = program.operations.get(flow.operation)
    written = [] if behaviour is None else list(_written(behaviour))
    groups: dict[tuple[int, str, str, str], list[CallFlow]] = {}
    for call in flow.calls:
        # Replicas of a callee are targets of one site.
        key = (call.stage, call.client, _asked(call, written), call.collection)
        groups.setdefault(key, []).append(call)
    found: list[TracedCall] = []
    alive = 1.0
    for key in sorted(groups, key=lambda key: key[0]):
        site = _site(program, key, groups[key], flow, alive, written, found)
        found.append(site)
        if site.fatal:
            alive = max(NEGLIGIBLE, alive - alive * min(1.0, site.made) * site.lost)
    return tuple(found)


def _asked(call: CallFlow, written: list[_Written]) -> str:
    """What a call asks for as the program has it: of HTTP the request, not the route it took."""
    mine = [entry.operation for entry in written if entry.client == call.client]
    if call.operation in mine:
        return call.operation
    return next((operation for operation in mine if " " in operation), call.operation)


@dataclass(frozen=True)
class _Written:
    client: str
    operation: str
    collection: str
    reaction: OnError
    look: str | None


def _written(behaviour: Operation) -> Iterator[_Written]:
    """The calls of an operation as they are written, in order."""
    yield from _walk(behaviour.calls, None)


def _walk(calls: tuple[AnyCall, ...], look: str | None) -> Iterator[_Written]:
    for call in calls:
        if isinstance(call, Call):
            client, _, operation = call.call.partition(".")
            yield _Written(client, operation, call.collection, call.on_error, look)
        elif isinstance(call, CacheAside):
            yield _Written(call.cache, "get", "", call.on_error, None)
            yield from _walk(call.miss, call.cache)
        else:
            yield from _walk(call.parallel, look)


def _site(
    program: ServiceProgram,
    key: tuple[int, str, str, str],
    flows: list[CallFlow],
    flow: Flow,
    alive: float,
    written: list[_Written],
    before: list[TracedCall],
) -> TracedCall:
    stage, client, operation, collection = key
    mine = next(
        (
            entry
            for entry in written
            if (entry.client, entry.operation, entry.collection) == (client, operation, collection)
        ),
        None,
    )
    if mine is not None:
        # The same call may be written again further down.
        written.remove(mine)
    reaction = OnError() if mine is None else mine.reaction
    tries = sum(part.rate for part in flows)
    calls = max(tries - sum(part.retries for part in flows), NEGLIGIBLE)
    ok = sum(part.rate * part.ok for part in flows) / max(tries, NEGLIGIBLE)
    lost = min(1.0, max(0.0, 1 - ok * tries / calls))
    known = program.clients.get(client)
    repeated = known.retry.on if known is not None and tries > calls else ()
    failures = tuple(
        Failure(
            part,
            kind,
            words,
            expand(reaction.returns, {"error": words, "operation": operation}),
            share * part.rate / max(tries, NEGLIGIBLE),
            again=kind in repeated,
        )
        for part in flows
        for kind, words, share in part.errors
        if share > NEGLIGIBLE
    )
    same = [site for site in before if (site.client, site.operation) == (client, operation)]
    return TracedCall(
        flow.operation,
        len(same) + 1,
        stage,
        client,
        operation,
        collection,
        tuple(flows),
        calls / max(flow.rate * alive, NEGLIGIBLE),
        ok,
        _attempts(sum(failure.share for failure in failures if failure.again), tries / calls),
        lost if lost > NEGLIGIBLE * 10 else 0.0,
        reaction,
        failures,
        _look(mine, before),
    )


def _look(mine: _Written | None, before: list[TracedCall]) -> int | None:
    if mine is None or mine.look is None:
        return None
    looks = [index for index, site in enumerate(before) if site.client == mine.look]
    return looks[-1] if looks else None


def _attempts(again: float, per_call: float) -> int:
    """How often a call is tried at most, from how often it is tried on average.

    Args:
        again: Fraction of attempts that fail in a way that is tried again.
        per_call: Attempts of one call, on average.
    """
    if per_call <= 1 + NEGLIGIBLE or again <= NEGLIGIBLE:
        return 1
    beyond = 1 - per_call * (1 - again)
    if again >= 1 - NEGLIGIBLE or beyond <= NEGLIGIBLE:
        return min(_MOST_ATTEMPTS, max(2, round(per_call)))
    return min(_MOST_ATTEMPTS, max(2, round(math.log(beyond) / math.log(again))))
