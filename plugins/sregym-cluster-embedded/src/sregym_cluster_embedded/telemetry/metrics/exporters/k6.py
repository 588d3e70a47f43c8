"""Statistics of load generators that are k6, under the names that its remote write gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
from sregym_cluster_embedded.telemetry.metrics.exporters.load import tool_of, users_of
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
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_apps.model import LoadGeneratorProgram
    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.metrics.operations import Served
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.traffic.segments import Flow, Segment

_PORT = 5656
_REQUESTS = "k6_http_reqs_total"
_FAILED = "k6_http_req_failed_rate"
_DURATION = "k6_http_req_duration_p99"
_ITERATIONS = "k6_iterations_total"
_USERS = "k6_vus"


class K6(Exporter):
    """One target for each load generator that is k6."""

    families: Sequence[Family] = (
        Family(_REQUESTS, "counter", "How many total HTTP requests k6 generated."),
        Family(_FAILED, "gauge", "The rate of failed requests."),
        Family(_DURATION, "gauge", "Total time for the request, 99th percentile, in seconds."),
        Family(
            _ITERATIONS, "counter", "The aggregate number of times the VUs executed the script."
        ),
        Family(_USERS, "gauge", "Current number of active virtual users."),
    )
    reads = ("pods", INSTANCES, SENT_REQUESTS)
    found_by = ("pods", INSTANCES)

    def targets(self, view: View) -> Sequence[Target]:
        """The containers that run one."""
        return container_targets(view, self, _is_one, lambda _: _PORT, "k6", beside=True)

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """The series of one generator, instance by instance."""

        def sent(instance: ContainerInstance) -> tuple[Segment, ...]:
            return segments(view.world, SENT, instance.ref)

        return by_instance(
            target, lambda instance: _of_instance(instance, sent(instance), sample), sent
        )


def _is_one(instance: ContainerInstance) -> bool:
    return tool_of(instance) == "k6"


def _of_instance(
    instance: ContainerInstance, sent: tuple[Segment, ...], sample: str
) -> Iterator[Row]:
    since, until = instance.process.served_at or 0.0, end_of(instance)
    known = ContainerInstance(instance.process, sent)
    kinds = [*operations_of(known, lambda _, kind: kind)]
    if sample == _USERS:
        yield Row(_SCENARIO, users_of(instance), since, until)
    elif sample == _ITERATIONS:
        yield Row(_SCENARIO, _Sum([served for _, served in kinds]), since, until)
    else:
        for name, served in kinds:
            yield from _requests(instance, sent, name, served, sample)


_SCENARIO: Pairs = (("scenario", "default"),)


def _requests(
    instance: ContainerInstance, sent: tuple[Segment, ...], name: str, served: Served, sample: str
) -> Iterator[Row]:
    program: LoadGeneratorProgram = instance.process.behaviour  # type: ignore[assignment]  # `_is_one`
    entry = program.mix.get(name)
    method = entry.request.partition(" ")[0] if entry else "GET"
    labels = (("method", method), ("name", name), *_SCENARIO)
    since = instance.process.served_at or 0.0
    if sample == _REQUESTS:
        yield from served.counters(
            lambda kind: (
                *labels,
                ("status", _status(kind)),
                ("expected_response", "true" if kind == OK else "false"),
            )
        )
    else:
        of = _failing if sample == _FAILED else _slowest
        starts = [instance.process.started_at, *(segment.start for segment in sent)]
        yield Row(labels, Steps(starts, [0.0, *_of(sent, name, of)]), since, served.end)


def _status(kind: str) -> str:
    """The status that was answered; 0 where there was no answer."""
    return "200" if kind == OK else kind if kind.isdecimal() else "0"


def _of(sent: tuple[Segment, ...], name: str, of: object) -> Iterator[float]:
    assert callable(of)
    for segment in sent:
        flow = next((flow for flow in segment.flows if flow.operation == name), None)
        yield 0.0 if flow is None else of(flow)


def _failing(flow: Flow) -> float:
    return 1 - flow.ok


def _slowest(flow: Flow) -> float:
    time = flow.time if flow.ok > 0 else flow.failed_time
    return time.quantile(0.99) / 1000


class _Sum:
    """All requests, whatever they are called: an iteration makes one."""

    def __init__(self, parts: Sequence[Served]) -> None:
        self._parts = [part.total() for part in parts]

    def __call__(self, seconds: Floats) -> Floats:
        found: Floats = np.zeros(len(seconds))
        for part in self._parts:
            found += part(seconds) if callable(part) else part
        return found
