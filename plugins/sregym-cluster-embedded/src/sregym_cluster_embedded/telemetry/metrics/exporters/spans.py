"""The span metrics of an OpenTelemetry collector: calls and durations by service and operation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram

from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family, Part, Row, Target
from sregym_cluster_embedded.telemetry.metrics.naming import client_spans, server_span, service_name
from sregym_cluster_embedded.telemetry.metrics.operations import OK, calls_of, operations_of
from sregym_cluster_embedded.telemetry.metrics.view import INSTANCES
from sregym_cluster_embedded.telemetry.metrics.work import end_of
from sregym_cluster_embedded.telemetry.traces.names import call_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.metrics.operations import Served
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.traffic.segments import CallFlow, Flow

    # What a process served or called: labels of the span, and how often.
    Spans = Sequence[tuple[Pairs, Served]]

CALLS = "traces_span_metrics_calls_total"
DURATION = "traces_span_metrics_duration_milliseconds"
# The connector's default bounds, in milliseconds.
_BOUNDS = (2, 4, 6, 8, 10, 50, 100, 200, 400, 800, 1000, 1400, 2000, 5000, 10000, 15000)
BOUNDS = tuple((str(bound), float(bound)) for bound in _BOUNDS)
_INSTANCE = "otel-collector:8889"
_ERROR = "error"


class SpanMetrics(Exporter):
    """One collector for all services."""

    families: Sequence[Family] = (
        Family(CALLS, "counter", "Number of calls, by service, span and status."),
        Family(DURATION, "histogram", "Durations of spans in milliseconds."),
    )

    reads = ("pods", INSTANCES)
    found_by = ()

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The collector."""
        labels = (("job", "otel-collector"), ("instance", _INSTANCE))
        return [Target("otel-collector", f"http://{_INSTANCE}/metrics", labels, honours=True)]

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """The spans of all services that were served, and of the calls that they made."""
        for instance in view.instances:
            program = instance.process.behaviour
            if not isinstance(program, ServiceProgram) or not instance.served:
                continue
            ref, pod = instance.ref, view.pods.get(instance.ref.pod_uid)
            name = view.remembered(
                ("service", ref),
                (instance.process, pod),
                partial(service_name, pod, instance),
                shared=True,
            )
            labels = (
                ("service_name", name),
                ("k8s_namespace_name", ref.namespace),
                ("k8s_pod_name", ref.pod),
            )
            since, until = instance.process.started_at, end_of(instance)
            works: dict[str, Callable[[ContainerInstance, ServiceProgram], Spans]] = {
                "": _served,
                "client": partial(_calls, "client"),
            }
            if any(client.wire.messaging for client in program.clients.values()):
                works["producer"] = partial(_calls, "producer")
            for kind, of in works.items():
                known = (*labels, ("span_kind", f"SPAN_KIND_{kind.upper()}")) if kind else labels
                work = partial(of, instance, program)
                spans = partial(view.remembered, (kind, ref), (instance,), work, shared=True)
                yield Part(
                    (ref, kind), (instance, name), known, since, until,
                    partial(_rows, spans, labels, sample),
                )  # fmt: skip


def _served(instance: ContainerInstance, program: ServiceProgram) -> Spans:
    found = []
    for operation, served in operations_of(instance, lambda *_: _ERROR):
        span, kind = server_span(instance, program, operation)
        if span:
            found.append((_kind(span, kind), served))
    return found


def _calls(kind: str, instance: ContainerInstance, program: ServiceProgram) -> Spans:
    """The calls whose spans are of a kind: `client` or `producer`."""

    def named(flow: Flow) -> Iterator[tuple[str, CallFlow]]:
        for span, call in client_spans(program, flow):
            if call_kind(program, call.client) == kind:
                yield span, call

    return [
        (_kind(span, kind.upper()), served)
        for span, served in calls_of(instance, named, lambda _: _ERROR)
    ]


def _kind(span: str, kind: str) -> Pairs:
    return (("span_name", span), ("span_kind", f"SPAN_KIND_{kind}"))


def _rows(spans: Callable[[], Spans], labels: Pairs, sample: str) -> Iterator[Row]:
    for kind, served in spans():
        by_status = partial(_by_status, (*labels, *kind))
        if sample.endswith("_bucket"):
            yield from served.buckets(by_status, BOUNDS)
        elif sample.endswith("_sum"):
            yield from served.sums(by_status, 1.0)
        else:
            yield from served.counters(by_status)


def _by_status(labels: Pairs, outcome: str) -> Pairs:
    return (*labels, ("status_code", "STATUS_CODE_UNSET" if outcome == OK else "STATUS_CODE_ERROR"))
