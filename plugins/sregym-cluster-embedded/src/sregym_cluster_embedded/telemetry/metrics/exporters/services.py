"""What instrumented services say of themselves: requests served, and their own process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram

from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family, Part, Row, Target
from sregym_cluster_embedded.telemetry.metrics.operations import OK, operations_of
from sregym_cluster_embedded.telemetry.metrics.pods import by_instance, container_targets
from sregym_cluster_embedded.telemetry.metrics.view import INSTANCES
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet, cpu, end_of, in_flight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.metrics.operations import Served
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.traffic.segments import Flow

_HTTP = "http_server_request_duration_seconds"
_RPC = "rpc_server_duration_milliseconds"
_ACTIVE = "http_server_active_requests"
# The bounds that OpenTelemetry advises for seconds, and its default ones for milliseconds.
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
_MILLISECONDS = (5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000)
_HTTP_BOUNDS = tuple((str(bound), bound * 1000.0) for bound in _SECONDS)
_RPC_BOUNDS = tuple((str(bound), float(bound)) for bound in _MILLISECONDS)
# Without a port of that purpose, where OpenTelemetry's exporter listens.
_PORT = 9464
_UNKNOWN, _DEADLINE, _UNAVAILABLE = "2", "4", "14"


class Services(Exporter):
    """One target for each container that runs a service."""

    families: Sequence[Family] = (
        Family(_HTTP, "histogram", "Duration of HTTP server requests."),
        Family(_ACTIVE, "gauge", "Number of active HTTP server requests."),
        Family(_RPC, "histogram", "Measures the duration of inbound RPC."),
        Family("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds."),
        Family("process_resident_memory_bytes", "gauge", "Resident memory size in bytes."),
        Family("process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds."),
    )  # fmt: skip
    reads = ("pods", INSTANCES)

    def targets(self, view: View) -> Sequence[Target]:
        """The containers."""
        return container_targets(view, self, _is_service, _port)

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """The series of one container, instance by instance."""
        return by_instance(target, lambda instance: _of_instance(view, instance, sample))


def _is_service(instance: ContainerInstance) -> bool:
    return isinstance(instance.process.behaviour, ServiceProgram)


def _port(instance: ContainerInstance) -> int:
    for port in instance.process.config.spec.get("ports") or ():
        if port.get("name") == "metrics":
            return int(port["containerPort"])
    return _PORT


def _of_instance(view: View, instance: ContainerInstance, sample: str) -> Iterator[Row]:
    since, until = instance.process.served_at or 0.0, end_of(instance)
    if sample == "process_cpu_seconds_total":
        yield Row((), cpu(instance), since, until)
    elif sample == "process_resident_memory_bytes":
        yield Row((), WorkingSet(instance), since, until)
    elif sample == "process_start_time_seconds":
        yield Row((), round(view.world.epoch + instance.process.started_at, 2), since, until)
    elif sample == _ACTIVE:
        if _protocols(instance) & {"http"}:
            yield Row((("http_request_method", "GET"),), in_flight(instance), since, until)
    else:
        yield from _requests(instance, sample)


def _protocols(instance: ContainerInstance) -> set[str]:
    program = instance.process.behaviour
    if not isinstance(program, ServiceProgram):
        return set()
    return {listener.protocol for listener in program.listeners.values()}


def _requests(instance: ContainerInstance, sample: str) -> Iterator[Row]:
    program = instance.process.behaviour
    assert isinstance(program, ServiceProgram)
    over_http = sample.startswith(_HTTP)
    for name, served in operations_of(instance, lambda flow, text: _status(program, flow, text)):
        behaviour = program.operations.get(name)
        if behaviour is None or (behaviour.route is not None) != over_http:
            continue
        if behaviour.route is not None:
            method, _, path = behaviour.route.partition(" ")
            yield from _http(served, method, path, str(behaviour.answer.status), sample)
        elif behaviour.listener in program.listeners:
            protocol = program.listeners[behaviour.listener].protocol
            yield from _rpc(served, protocol, instance.process.program, name, sample)


def _status(program: ServiceProgram, flow: Flow, text: str) -> str:
    """The status that a failed request ends with: of HTTP, or of gRPC."""
    behaviour = program.operations.get(flow.operation)
    if behaviour is not None and behaviour.route is not None:
        return str(flow.status(text, behaviour.failure.status))
    if "DeadlineExceeded" in text or "deadline exceeded" in text:
        return _DEADLINE
    return _UNAVAILABLE if "Unavailable" in text else _UNKNOWN


def _http(served: Served, method: str, path: str, good: str, sample: str) -> Iterator[Row]:
    def labels(outcome: str) -> Pairs:
        return (
            ("http_request_method", method),
            ("http_response_status_code", good if outcome == OK else outcome),
            ("http_route", path),
            ("url_scheme", "http"),
            ("network_protocol_version", "1.1"),
        )

    if sample.endswith("_bucket"):
        yield from served.buckets(labels, _HTTP_BOUNDS)
    elif sample.endswith("_sum"):
        yield from served.sums(labels, 1000.0)
    else:
        yield from served.counters(labels)


def _rpc(served: Served, protocol: str, service: str, method: str, sample: str) -> Iterator[Row]:
    grpc = protocol == "grpc"

    def labels(outcome: str) -> Pairs:
        code = "0" if outcome == OK else outcome
        more = (("rpc_grpc_status_code", code),) if grpc else (("error", str(outcome != OK)),)
        return (
            ("rpc_system", "grpc" if grpc else "apache_thrift"),
            ("rpc_service", service),
            ("rpc_method", method),
            *more,
        )

    if sample.endswith("_bucket"):
        yield from served.buckets(labels, _RPC_BOUNDS)
    elif sample.endswith("_sum"):
        yield from served.sums(labels, 1.0)
    else:
        yield from served.counters(labels)
