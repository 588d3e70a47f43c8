"""Statistics of load generators, as the tool has them that a generator is called after."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from sregym_apps.model import LoadGeneratorProgram

from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Part,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.operations import OK, operations_of
from sregym_cluster_embedded.telemetry.metrics.pods import by_instance, container_targets
from sregym_cluster_embedded.telemetry.metrics.view import INSTANCES, SENT_REQUESTS
from sregym_cluster_embedded.telemetry.metrics.work import end_of
from sregym_cluster_embedded.traffic.segments import SENT, segments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.metrics.operations import Served
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.traffic.segments import Segment

_PORT = 9646
_REQUESTS = "locust_requests_num_requests"
_FAILURES = "locust_requests_num_failures"
_ERRORS = "locust_errors"
_RPS = "locust_requests_current_rps"
_FAILING = "locust_requests_current_fail_per_sec"
_AVERAGE = "locust_requests_avg_response_time"
_RATIO = "locust_requests_fail_ratio"
_UP = "locust_up"
_USERS = "locust_users"
# Tools that write their figures at the end, and export none.
_SILENT = frozenset(
    {"ab", "autocannon", "bombardier", "cassowary", "hey", "oha", "siege", "vegeta", "wrk", "wrk2"}
)
# What the generator calls current: so many seconds, up to so long ago.
_CURRENT_S, _REPORTED_S = 10.0, 2.0


class LoadGenerators(Exporter):
    """One target for each load generator that is Locust."""

    families: Sequence[Family] = (
        Family(_UP, "gauge", "The current health status of the server (1 = UP, 0 = DOWN)."),
        Family(_USERS, "gauge", "The current number of users."),
        Family(_REQUESTS, "counter", "Total number of requests."),
        Family(_FAILURES, "counter", "Total number of failed requests."),
        Family(_ERRORS, "gauge", "The current number of errors."),
        Family(_RPS, "gauge", "The current number of requests per second."),
        Family(_FAILING, "gauge", "The current number of failed requests per second."),
        Family(_AVERAGE, "gauge", "The average response time of requests in milliseconds."),
        Family(_RATIO, "gauge", "The ratio of requests that failed."),
    )
    reads = ("pods", INSTANCES, SENT_REQUESTS)
    found_by = ("pods", INSTANCES)

    def targets(self, view: View) -> Sequence[Target]:
        """The containers that run one."""
        return container_targets(view, self, _is_one, lambda _: _PORT, "locust", beside=True)

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """The series of one generator, instance by instance."""

        def sent(instance: ContainerInstance) -> tuple[Segment, ...]:
            return segments(view.world, SENT, instance.ref)

        return by_instance(
            target, lambda instance: _of_instance(instance, sent(instance), sample), sent
        )


def _of_instance(
    instance: ContainerInstance, segments: tuple[Segment, ...], sample: str
) -> Iterator[Row]:
    sent = ContainerInstance(instance.process, segments)
    since, until = instance.process.served_at or 0.0, end_of(instance)
    if sample == _UP:
        yield Row((), 1.0, since, until)
    elif sample == _USERS:
        yield Row((), users_of(instance), since, until)
    elif sample == _RATIO:
        yield Row((), _by_segment(sent, _failing_share), since, until)
    else:
        yield from _requests(sent, sample)


def tool_of(instance: ContainerInstance) -> str:
    """Whose metrics an instance exports: `locust`, `k6`, or `none`; empty when it generates no load."""
    program = instance.process.behaviour
    if not isinstance(program, LoadGeneratorProgram):
        return ""
    command = instance.process.argv[0].rpartition("/")[2] if instance.process.argv else ""
    words = {*re.split(r"[^a-z0-9]+", f"{instance.process.program} {command}".lower())}
    named = "k6" if "k6" in words else "none" if words & _SILENT else "locust"
    return program.metrics or named


def _is_one(instance: ContainerInstance) -> bool:
    return tool_of(instance) == "locust"


def users_of(instance: ContainerInstance) -> float:
    """The users that a load generator says it has."""
    program = instance.process.behaviour
    assert isinstance(program, LoadGeneratorProgram)
    text = instance.process.settings.get("connections", program.connections)
    return float(text) if text.isdecimal() else 0.0


def _failing_share(segment: Segment) -> float:
    rate = sum(flow.rate for flow in segment.flows)
    return sum(flow.rate * (1 - flow.ok) for flow in segment.flows) / rate if rate else 0.0


def _by_segment(sent: ContainerInstance, of: object) -> Steps:
    assert callable(of)
    starts = [sent.process.started_at, *(segment.start for segment in sent.served)]
    return Steps(starts, [0.0, *(float(of(segment)) for segment in sent.served)])


def _requests(sent: ContainerInstance, sample: str) -> Iterator[Row]:
    program = sent.process.behaviour
    assert isinstance(program, LoadGeneratorProgram)
    for name, served in operations_of(sent, lambda _, kind: kind):
        entry = program.mix.get(name)
        method = entry.request.partition(" ")[0] if entry else "GET"
        labels = (("method", method), ("name", name))
        since = sent.process.served_at or 0.0
        if sample == _ERRORS:
            yield from (
                row
                for row in served.counters(lambda kind, labels=labels: _error(labels, kind))  # type: ignore[misc]
                if dict(row.labels)["error"]
            )
        elif sample == _REQUESTS:
            yield Row(labels, served.total(), since, served.end)
        elif sample == _FAILURES:
            yield Row(labels, _Failures(served), since, served.end)
        elif sample == _AVERAGE:
            yield Row(labels, _by_segment(sent, _average_of(name)), since, served.end)
        else:
            total = _Failures(served) if sample == _FAILING else served.outcomes.total
            yield Row(labels, _Current(total), since, served.end)


def _error(labels: Pairs, kind: str) -> Pairs:
    words = f"HTTPError('{kind} error')" if kind.isdecimal() else kind
    return (*labels, ("error", "" if kind == OK else words))


def _average_of(name: str) -> object:
    def of(segment: Segment) -> float:
        flow = next((flow for flow in segment.flows if flow.operation == name), None)
        if flow is None:
            return 0.0
        return flow.ok * flow.time.mean_ms + (1 - flow.ok) * flow.failed_time.mean_ms

    return of


class _Current:
    """How fast a counter has grown of late; the last seconds are still to be reported."""

    def __init__(self, total: Callable[[Floats], Floats]) -> None:
        self._total = total

    def __call__(self, seconds: Floats) -> Floats:
        grown = self._total(seconds - _REPORTED_S) - self._total(seconds - _REPORTED_S - _CURRENT_S)
        found: Floats = grown / _CURRENT_S
        return found


class _Failures:
    """All failures, whatever their kind."""

    def __init__(self, served: Served) -> None:
        self._outcomes = served.outcomes

    def __call__(self, seconds: Floats) -> Floats:
        good = self._outcomes.count(OK, seconds)
        found: Floats = np.maximum(self._outcomes.total(seconds) - good, 0.0)
        return found
