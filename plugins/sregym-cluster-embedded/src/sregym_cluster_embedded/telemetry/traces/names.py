"""What spans are called: by the service model, or else as instrumentation libraries do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_apps.model import Operation, ServiceProgram

    from sregym_cluster_embedded.telemetry.traces.sites import Site


def server_span(program: ServiceProgram, operation: str) -> str:
    """The name of the span of serving an operation; empty when it has none."""
    assert program.tracing is not None
    named = program.tracing.spans.get(operation)
    if named is not None:
        return named
    behaviour = program.operations.get(operation)
    if behaviour is None or behaviour.route is None:
        return operation
    return f"HTTP {behaviour.route}" if program.tracing.library == "jaeger" else behaviour.route


def client_span(program: ServiceProgram, site: Site) -> str:
    """The name of the span of a call; empty when it has none."""
    assert program.tracing is not None
    spans, operation = program.tracing.spans, site.operation
    call = f"{site.client}.{operation}"
    for key in (f"{site.caller}/{call}#{site.turn}", f"{site.caller}/{call}", call):
        if key in spans:
            return spans[key]
    known = program.clients.get(site.client)
    if known is None or not known.wire.call_spans:
        return ""
    if known.protocol == "http":
        method = operation.partition(" ")[0]
        return f"HTTP {method}" if program.tracing.library == "jaeger" else method
    return operation


def protocol_of(program: ServiceProgram, behaviour: Operation | None) -> str:
    """What an operation is reached by."""
    if behaviour is None or behaviour.listener not in program.listeners:
        return "tcp"
    return program.listeners[behaviour.listener].protocol
