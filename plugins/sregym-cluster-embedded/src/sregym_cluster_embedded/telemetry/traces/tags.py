"""The tags and events that the tracing libraries put on spans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.traces import names
from sregym_cluster_embedded.telemetry.traces.ids import span_id
from sregym_cluster_embedded.telemetry.traces.spans import Event, Source, Tags
from sregym_cluster_embedded.userland.wiring import parse_address

if TYPE_CHECKING:
    from sregym_apps.model import Client, Operation

    from sregym_cluster_embedded.telemetry.traces.chronicle import Traced
    from sregym_cluster_embedded.telemetry.traces.names import HandledMessages
    from sregym_cluster_embedded.traffic.segments import Flow

_CODE = re.compile(r"^rpc error: code = (\w+) desc = (.*)$", re.DOTALL)
_NAMED_PORT = re.compile(r":\d+(/|$)")
_NUMBERS = (
    *("OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound"),
    *("AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted"),
    *("OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated"),
)
# How the gRPC interceptor for OpenTracing sorts status codes.
_SERVERS_FAULT = (
    *("DeadlineExceeded", "ResourceExhausted", "Aborted", "Unimplemented", "Internal"),
    *("Unavailable", "DataLoss"),
)
_CLIENTS_FAULT = (
    *("InvalidArgument", "NotFound", "AlreadyExists", "PermissionDenied", "Unauthenticated"),
    *("FailedPrecondition", "OutOfRange"),
)


def source_of(traced: Traced, seed: int) -> Source:
    """What a process says of itself with its spans."""
    process = traced.instance.process
    if traced.tracing.library == "jaeger":
        tags: Tags = (
            (
                "client-uuid",
                span_id(f"tracer {seed}", "\0".join(map(str, process.ref))).lstrip("0"),
            ),
            ("hostname", process.config.hostname),
            ("ip", process.config.pod_ip),
            ("jaeger.version", traced.tracing.version or "Go-2.30.0"),
        )
        return Source(traced.service, tags)
    return Source(
        traced.service,
        (
            ("host.name", process.config.hostname),
            ("k8s.namespace.name", process.ref.namespace),
            ("k8s.node.name", process.config.node),
            ("k8s.pod.name", process.ref.pod),
            ("telemetry.sdk.language", "go"),
            ("telemetry.sdk.name", "opentelemetry"),
            ("telemetry.sdk.version", traced.tracing.version or "1.26.0"),
        ),
    )


def sampler_tags(traced: Traced) -> Tags:
    """What the first span of a trace says of why it was taken."""
    if traced.tracing.library != "jaeger":
        return ()
    return (("sampler.type", "probabilistic"), ("sampler.param", traced.sample))


def server_tags(
    traced: Traced,
    protocol: str,
    operation: str,
    behaviour: Operation | None,
    error: str | None,
    flow: Flow | None = None,
) -> Tags:
    """The tags of a span of serving, and how it ended; `error` is what the caller got."""
    jaeger = traced.tracing.library == "jaeger"
    if protocol == "http" and behaviour is not None:
        method, _, path = (behaviour.route or "GET /").partition(" ")
        status = (behaviour.answer if error is None else behaviour.failure).status
        if error is not None and flow is not None:
            status = flow.status(error, status)
        failed: Tags = (("error", True),) if status >= 500 else ()
        if jaeger:
            return (
                ("span.kind", "server"),
                ("http.method", method),
                ("http.url", path.rstrip("*")),
                ("component", "net/http"),
                ("http.status_code", status),
                *failed,
            )
        return (
            ("http.request.method", method),
            ("url.path", path.rstrip("*")),
            ("http.route", path),
            ("http.response.status_code", status),
            *failed,
        )
    if not jaeger:
        return (("rpc.system", "grpc"), ("rpc.method", operation), *_grpc_status(error))
    tags: Tags = (("span.kind", "server"), ("component", "gRPC"))
    return tags if error is None else (*tags, *_grpc_ended(error, client=False))


def consumer_tags(traced: Traced, message: HandledMessages, error: str | None) -> Tags:
    """The tags of a span of working on a message, and how it ended."""
    told = message_tags(traced, message.system, message.topic, "process")
    return told if error is None else (*told, ("error", True))


def message_tags(traced: Traced, system: str, topic: str, operation: str) -> Tags:
    """The tags of a span about a message: where it goes, or comes from."""
    if traced.tracing.library == "jaeger":
        kind = "producer" if operation == "publish" else "consumer"
        return (
            ("span.kind", kind),
            ("component", system),
            ("message_bus.destination", topic),
        )
    return (
        ("messaging.system", system),
        ("messaging.destination.name", topic),
        ("messaging.operation", operation),
    )


def client_tags(
    traced: Traced, client: Client, host: str, operation: str, collection: str, error: str | None
) -> Tags:
    """The tags of a span of calling, and how it ended; `error` in the caller's words."""
    if traced.tracing.library == "jaeger":
        if client.wire.messaging:
            told = message_tags(traced, names.system_of(client), collection, "publish")
            return told if error is None else (*told, ("error", True))
        return _jaeger_client_tags(client, operation, error)
    if client.protocol == "grpc":
        return (
            ("rpc.system", "grpc"),
            ("rpc.method", operation),
            ("server.address", host),
            *_grpc_status(error),
        )
    failed: Tags = () if error is None else (("error", True),)
    if client.wire.messaging:
        sent = message_tags(traced, names.system_of(client), collection, "publish")
        return (*sent, ("server.address", host), *failed)
    if client.protocol == "http":
        method, _, path = operation.partition(" ")
        scheme, port = _scheme_and_port(client)
        return (
            ("http.request.method", method),
            ("url.full", f"{scheme}://{host}{f':{port}' if port else ''}{path}"),
            ("server.address", host),
            *((("server.port", port),) if port else ()),
            *failed,
        )
    store = client.wire.db_system or client.protocol
    about: Tags = (("db.collection.name", collection),) if collection else ()
    return (
        ("db.system", store),
        ("db.operation.name", operation),
        *about,
        ("server.address", host),
        *failed,
    )


def _scheme_and_port(client: Client) -> tuple[str, int]:
    """How a client asks, and the port that its address names; 0 where it names none."""
    return (
        "https" if client.address.startswith("https:") else "http",
        parse_address(client.address).port if _NAMED_PORT.search(client.address) else 0,
    )


def _jaeger_client_tags(client: Client, operation: str, error: str | None) -> Tags:
    if client.protocol == "grpc":
        tags: Tags = (("span.kind", "client"), ("component", "gRPC"))
        return tags if error is None else (*tags, *_grpc_ended(error, client=True))
    failed: Tags = () if error is None else (("error", True),)
    if client.protocol == "http":
        method, _, path = operation.partition(" ")
        return (
            ("span.kind", "client"),
            ("component", "net/http"),
            ("http.method", method),
            ("http.url", path),
            *failed,
        )
    return (("span.kind", "client"), *failed)


def error_events(traced: Traced, protocol: str, at: float, error: str | None) -> tuple[Event, ...]:
    """What a library notes on a span that failed."""
    if error is None:
        return ()
    if traced.tracing.library == "jaeger":
        if protocol == "http":
            return ()
        return (Event(at, (("event", "error"), ("message", error))),)
    kind = "*status.Error" if error.startswith("rpc error: ") else "*errors.errorString"
    fields: Tags = (("exception.type", kind), ("exception.message", error))
    return (Event(at, (("event", "exception"), *fields)),)


def code_of(error: str) -> str:
    """The gRPC status code in an error's words; `Unknown` for errors that have none."""
    found = _CODE.match(error)
    return found.group(1) if found else "Unknown"


def _grpc_ended(error: str, *, client: bool) -> Tags:
    code = code_of(error)
    if not _CODE.match(error) and not client:
        # A handler's plain error; the status is made of it only when it is sent.
        sort = "0xx"
    elif code in _SERVERS_FAULT:
        sort = "5xx"
    else:
        sort = "4xx" if code in _CLIENTS_FAULT else "0xx"
    failed: Tags = (("error", True),) if client or sort == "5xx" else ()
    return (("response_code", code), ("response_class", sort), *failed)


def _grpc_status(error: str | None) -> Tags:
    if error is None:
        return (("rpc.grpc.status_code", 0),)
    code = code_of(error)
    number = _NUMBERS.index(code) if code in _NUMBERS else 2
    return (("rpc.grpc.status_code", number), ("error", True))
