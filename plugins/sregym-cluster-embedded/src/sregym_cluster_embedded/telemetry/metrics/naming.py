"""What services are called in telemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram, expand

from sregym_cluster_embedded.store.objects import owner_of
from sregym_cluster_embedded.telemetry.traces import names
from sregym_cluster_embedded.telemetry.traces.sites import sites_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.view import Pod
    from sregym_cluster_embedded.traffic.segments import CallFlow, Flow

_HASH = "pod-template-hash"


def workload_of(pod: Pod) -> str:
    """The name of what made a pod: its Deployment, set or Job; its own when nothing did."""
    owner = owner_of(pod.last)
    if owner is None:
        return pod.name
    name = str(owner["name"])
    hashed = (pod.last["metadata"].get("labels") or {}).get(_HASH)
    return name.removesuffix(f"-{hashed}") if hashed else name


def service_name(pod: Pod | None, instance: ContainerInstance) -> str:
    """`service.name` of a process: as its tracing says, else the name of its workload."""
    program = instance.process.behaviour
    if isinstance(program, ServiceProgram) and program.tracing is not None:
        return expand(program.tracing.service, instance.process.facts())
    return instance.ref.name if pod is None else workload_of(pod)


def server_span(
    instance: ContainerInstance, program: ServiceProgram, operation: str
) -> tuple[str, str]:
    """(name, kind) of the span of serving an operation; the name is empty when it has none."""
    message = names.handled_messages(program, instance.process.facts()).get(operation)
    if message is not None and not message.alone:
        message = None
    return _served(program, operation, message), "CONSUMER" if message is not None else "SERVER"


def _served(program: ServiceProgram, operation: str, message: names.HandledMessages | None) -> str:
    if program.tracing is not None:
        return names.server_span(program, operation, message)
    behaviour = program.operations.get(operation)
    return operation if behaviour is None or behaviour.route is None else behaviour.route


def client_spans(program: ServiceProgram, flow: Flow) -> Iterator[tuple[str, CallFlow]]:
    """The calls of an operation that have spans, with the names of these."""
    if program.tracing is not None:
        for site in sites_of(program, flow):
            name = names.client_span(program, site)
            if name:
                yield from ((name, call) for call in site.targets)
        return
    for call in flow.calls:
        client = program.clients.get(call.client)
        if client is None or client.wire.discovery:
            continue
        remote = client.protocol in ("http", "grpc")
        parts = (call.operation,) if remote else (call.operation, call.collection)
        yield " ".join(part for part in parts if part), call
