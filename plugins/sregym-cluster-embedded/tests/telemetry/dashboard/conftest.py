"""A small shop on an assembled cluster: load -> web -> stock and price."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
import pytest
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.dashboard.routes import answer
from sregym_cluster_embedded.world import World

Ask = Callable[..., Any]

SHOP = """
application: shop
images:
  - repository: ghcr.io/acme/shop
    tags: ["1.0"]
    size_mib: 48
    binaries: {/bin/web: web, /bin/stock: stock, /bin/price: price, /bin/load: load}
    tools: [busybox]
programs:
  web:
    log: {format: zerolog-console}
    startup: [{listen: http}, {log: listening}]
    listeners: {http: {protocol: http, port: 8080}}
    clients:
      stock: {protocol: grpc, address: "stock:8081", timeout_s: 1}
      price: {protocol: grpc, address: "price:8082", timeout_s: 1}
    operations:
      buy:
        listener: http
        route: GET /buy
        cpu_ms: 0.4
        calls:
          - call: price.Quote
          - call: stock.Reserve
            on_error: {log: [{level: error, text: "reserve: ${error}"}]}
  stock:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8081}}
    operations: {Reserve: {listener: grpc, cpu_ms: 0.3}}
  price:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8082}}
    operations: {Quote: {listener: grpc, cpu_ms: 0.1}}
  load:
    kind: load-generator
    target: http://web:8080
    rate: 100
    mix: {buy: {request: GET /buy, weight: 1}}
"""
PORTS = {"web": 8080, "stock": 8081, "price": 8082}


@cache
def _opened() -> World:
    world = build(Blueprint(models=(parse_service_model(SHOP, "application.yaml"),), seed=7))
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    world.run_until(world.now + 1)
    for name in ("stock", "price", "web", "load"):
        labels = {"app": name}
        container = {
            "name": name,
            "image": "ghcr.io/acme/shop:1.0",
            "command": [name],
            "resources": {"limits": {"cpu": "1"}},
        }
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        deployment = {
            "metadata": {"name": name, "namespace": "shop"},
            "spec": {"selector": {"matchLabels": labels}, "template": template},
        }
        internal_client.create(world, "deployments.apps", deployment)
        if name in PORTS:
            service = {
                "metadata": {"name": name, "namespace": "shop"},
                "spec": {"selector": labels, "ports": [{"port": PORTS[name]}]},
            }
            internal_client.create(world, "services", service)
    world.run_until(world.now + 120)
    return world


@pytest.fixture
def world() -> World:
    """Two minutes after the shop was deployed; each test has its own."""
    return _opened().fork()


@pytest.fixture
def broken(world: World) -> World:
    """A minute after the Service of `stock` was deleted."""
    internal_client.delete(world, Key("services", "shop", "stock"))
    world.run_until(world.now + 60)
    return world


def get(world: World, path: str, **parameters: str) -> Response:
    """What the dashboard answers."""
    return answer(world, Request("GET", path, tuple(parameters.items())))


@pytest.fixture
def ask() -> Ask:
    """Data of an endpoint; the answer has to be good."""

    def asked(world: World, path: str, **parameters: str) -> Any:
        response = get(world, path, **parameters)
        assert (response.status, response.content_type) == (200, "application/json")
        return orjson.loads(response.body)

    return asked
