"""What Larder's exporter says."""

from __future__ import annotations

from sregym_cluster_embedded.sdk.exporters import (
    DONE,
    FAILED,
    Store,
    StoreExporter,
    by_command,
    counter,
    counters,
    gauge,
    memory,
    total,
)

EXPORTER = StoreExporter(
    ("larder",),
    "larder",
    ("larder_up", "Whether the Larder answers."),
    (
        counters(
            "larder_requests_total", "Requests by verb.", by_command("verb", {}, "get", "put")
        ),
        counter("larder_refused_total", "Requests that were refused.", total(outcome=FAILED)),
        counter("larder_served_total", "Requests that were served.", total(outcome=DONE)),
        gauge("larder_connections", "Connections.", lambda store: store.callers),
        gauge("larder_memory_bytes", "Memory.", memory),
        counter("larder_uptime_seconds", "Seconds since it started.", Store.uptime),
    ),
)
