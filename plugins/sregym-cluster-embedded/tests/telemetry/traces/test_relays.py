"""Programs that hand on the spans that they receive."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client

from .conftest import MODEL, RESOURCES, TracedShop, service, started, workload

RELAY = """
  relay:
    startup: [{listen: otlp}]
    listeners: {otlp: {protocol: grpc, port: 4317}}
    relays_traces_to: "jaeger:4317"
  load:
"""


def with_relay() -> TracedShop:
    """The shop, whose price hands its spans to a relay."""
    text = MODEL.replace("\n  load:\n", RELAY).replace(
        "price: price}", "price: price, /app/bin/relay: relay}"
    )
    text = text.replace('collector: "jaeger:4317"', 'collector: "http://relay:4317"')
    shop = TracedShop(started(text))
    parts: list[Any] = [
        service("relay", 4317),
        workload("relay", "ghcr.io/acme/shop:1.0", command=["relay"]),
    ]
    for obj in parts:
        version = "apps/v1" if obj["kind"] == "Deployment" else "v1"
        internal_client.create(shop.world, RESOURCES[obj["kind"]], {"apiVersion": version, **obj})
    shop.run(60)
    return shop


def last_span_of(shop: TracedShop, name: str) -> float:
    """Virtual second of the last span of a service that the collector knows."""
    starts = [
        span["startTime"]
        for trace in shop.traces(service=name, limit="20")
        for span in trace["spans"]
        if trace["processes"][span["processID"]]["serviceName"] == name
    ]
    return max(starts, default=0) / 1e6 - shop.world.epoch


def test_spans_come_by_way_of_a_relay_for_as_long_as_it_runs() -> None:
    shop = with_relay()
    assert last_span_of(shop, "price") > shop.world.now - 10

    shop.scale("relay", 0)
    cut = shop.world.now
    shop.run(60)

    assert cut - 10 < last_span_of(shop, "price") < cut + 10
    assert last_span_of(shop, "stock") > shop.world.now - 10
