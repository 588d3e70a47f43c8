"""What spans are called: by the service model, or else as instrumentation libraries do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import expand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Client, Operation, ServiceProgram

    from sregym_cluster_embedded.telemetry.traces.sites import TracedCall


class HandledMessages(NamedTuple):
    """Messages that an operation is done for.

    Attributes:
        protocol: Of the client that takes them.
        system: What spans call the broker.
        topic: Where they come from.
        alone: Whether nothing but messages leads to the operation.
    """

    protocol: str
    system: str
    topic: str
    alone: bool


def handled_messages(
    program: ServiceProgram, facts: Mapping[str, str]
) -> dict[str, HandledMessages]:
    """Operation -> the messages that a program does it for; `facts` are those of its process."""
    found = {}
    for consumer in program.consumers.values():
        client = program.clients[consumer.client]
        behaviour = program.operations.get(consumer.operation)
        found[consumer.operation] = HandledMessages(
            client.protocol,
            system_of(client),
            expand(consumer.topic, facts),
            behaviour is not None and not behaviour.listener,
        )
    return found


def system_of(client: Client) -> str:
    """What spans call a broker."""
    return client.wire.messaging_system or client.protocol


def call_kind(program: ServiceProgram, client: str) -> str:
    """The kind of the spans of calls through a client."""
    known = program.clients.get(client)
    return "producer" if known is not None and known.wire.messaging else "client"


def server_span(
    program: ServiceProgram, operation: str, message: HandledMessages | None = None
) -> str:
    """The name of the span of serving an operation; empty when it has none.

    Args:
        program: The program.
        operation: Its operation.
        message: The message that it is done for, if it is.
    """
    assert program.tracing is not None
    named = program.tracing.spans.get(operation)
    if named is not None:
        return named
    if message is not None:
        jaeger = program.tracing.library == "jaeger"
        return f"From_{message.topic}" if jaeger else f"{message.topic} process"
    behaviour = program.operations.get(operation)
    if behaviour is None or behaviour.route is None:
        return operation
    return f"HTTP {behaviour.route}" if program.tracing.library == "jaeger" else behaviour.route


def client_span(program: ServiceProgram, site: TracedCall) -> str:
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
    if known.wire.messaging:
        jaeger = program.tracing.library == "jaeger"
        return f"To_{site.collection}" if jaeger else f"{site.collection} publish"
    if known.protocol == "http":
        method = operation.partition(" ")[0]
        return f"HTTP {method}" if program.tracing.library == "jaeger" else method
    return operation


def protocol_of(program: ServiceProgram, behaviour: Operation | None) -> str:
    """What an operation is reached by."""
    if behaviour is None or behaviour.listener not in program.listeners:
        return "tcp"
    return program.listeners[behaviour.listener].protocol
