"""How a program is instrumented for tracing, and programs that collect traces."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sregym_apps.model.base import Entry, Text


class Tracing(Entry):
    """What a program exports of the requests that it serves and of the calls that it makes.

    Attributes:
        service: The name under which its spans are known.
        library: Library whose conventions its spans follow: `jaeger` (the OpenTracing clients of Jaeger:
            ids of 64 bits, tags like `sampler.type`) or `opentelemetry` (ids of 128 bits).
        version: Version of the library, as spans name it.
        collector: `host:port` that spans are sent to.
        sample: Fraction of the requests entering here that are traced; a request that comes with a
            trace belongs to it or not as its caller decided.
        spans: Names of spans: `operation` for serving one, `client.operation` for calling one;
            `operation/client.operation` counts within that operation only, and with `#2` behind
            it for its second call of the kind only. An empty name: no span. Without an entry HTTP
            and gRPC have the names that their libraries give, and calls of datastores no span.
    """

    service: Text
    library: Literal["jaeger", "opentelemetry"] = "opentelemetry"
    version: Text = ""
    collector: Text
    sample: Text = "1"
    spans: dict[str, str] = Field(default_factory=dict)


class TraceStore(Entry):
    """What a program that collects traces keeps, in memory, until it ends.

    Attributes:
        most_traces: How many traces are kept; the oldest go first. 0 for all.
        query: The listener on which it answers the query API.
    """

    most_traces: Text = "0"
    query: str
