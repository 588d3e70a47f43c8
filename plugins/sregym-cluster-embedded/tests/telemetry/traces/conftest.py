"""A shop whose programs are traced, on an assembled cluster with a collector of traces."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.endpoints import service as service_of
from sregym_cluster_embedded.traffic.segments import SERVED, Segment, segments
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.world import World

MODEL = """
application: shop
images:
  - repository: ghcr.io/acme/shop
    tags: ["1.0"]
    size_mib: 48
    env: {PATH: "/app/bin:/bin"}
    binaries: {/app/bin/web: web, /app/bin/stock: stock, /app/bin/price: price}
    tools: [busybox]
  - repository: memcached
    tags: ["1.6.7"]
    size_mib: 31
    cmd: [memcached]
    binaries: {/usr/local/bin/memcached: memcached}
    tools: [debian]
  - repository: mongo
    tags: ["4.4.6"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo]
  - repository: jaegertracing/all-in-one
    tags: ["1.57"]
    size_mib: 31
    entrypoint: [/jaeger]
    binaries: {/jaeger: tracer}
  - repository: ghcr.io/acme/load
    tags: ["1.0"]
    size_mib: 10
    entrypoint: [/load]
    binaries: {/load: load}
programs:
  web:
    config: {ratio: {env: RATIO, default: "1"}}
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    tracing:
      service: web
      library: jaeger
      version: Go-2.11.2
      collector: jaeger:6831
      sample: "${ratio}"
      spans: {stock.Reserve: /shop.Stock/Reserve, price.Quote: /shop.Price/Quote}
    clients:
      stock: {protocol: grpc, address: "stock:8081", timeout_s: 1, retry: {times: 2, backoff: 50ms}}
      price: {protocol: grpc, address: "price:8082", timeout_s: 1}
    operations:
      buy:
        listener: http
        route: GET /buy
        cpu_ms: 0.4
        latency_ms: 1
        calls:
          - parallel:
              - call: price.Quote
                on_error: {then: ignore}
              - call: stock.Reserve
                on_error: {returns: "reserve: ${error}"}
      browse: {listener: http, route: GET /browse, cpu_ms: 0.2, calls: [{call: price.Quote}]}
  price:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8082}}
    tracing: {service: price, version: 1.26.0, collector: "jaeger:4317"}
    operations: {Quote: {listener: grpc, cpu_ms: 0.1, latency_ms: 0.5}}
  stock:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8081}}
    tracing:
      service: stock
      library: jaeger
      version: Go-2.11.2
      collector: jaeger:6831
      spans: {Reserve: /shop.Stock/Reserve, cache.get: cache_get, mongo.find: mongo_find}
    clients:
      cache: {protocol: memcached, address: "memcached:11211", timeout_s: 1}
      mongo: {protocol: mongodb, address: "mongodb:27017", database: stock, timeout_s: 2}
    operations:
      Reserve:
        listener: grpc
        cpu_ms: 0.3
        latency_ms: 0.5
        calls:
          - cache: cache
            hit_rate: 0.9
            miss: [{call: mongo.find, collection: items}]
  memcached: {kind: memcached}
  mongod: {kind: mongodb}
  tracer:
    config: {most: {env: MEMORY_MAX_TRACES, default: "0"}}
    startup: [{listen: query}]
    listeners: {query: {protocol: http, port: 16686}}
    traces: {most_traces: "${most}", query: query}
  load:
    kind: load-generator
    target: http://web:8080
    rate: 10
    mix: {buy: {request: GET /buy, weight: 3}, browse: {request: GET /browse, weight: 1}}
"""
RESOURCES = {"Deployment": "deployments.apps", "Service": "services"}
# Wide enough for any run: microseconds since 1970.
ALL_TIME = {"start": "0", "end": "9000000000000000"}


def workload(name: str, image: str, **container: Any) -> dict[str, Any]:
    labels = {"app": name}
    return {
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": name, "image": image, **container}]},
            },
        },
    }


def service(name: str, *ports: int) -> dict[str, Any]:
    entries = [{"name": f"p{port}", "port": port, "targetPort": port} for port in ports]
    return {
        "kind": "Service",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"selector": {"app": name}, "ports": entries},
    }


def manifests() -> list[dict[str, Any]]:
    shop = "ghcr.io/acme/shop:1.0"
    return [
        service("mongodb", 27017),
        service("memcached", 11211),
        service("stock", 8081),
        service("price", 8082),
        service("web", 8080),
        service("jaeger", 6831, 4317, 16686),
        workload("jaeger", "jaegertracing/all-in-one:1.57"),
        workload("mongodb", "mongo:4.4.6"),
        workload("memcached", "memcached:1.6.7"),
        workload("stock", shop, command=["stock"]),
        workload("price", shop, command=["price"]),
        workload("web", shop, command=["web"]),
        workload("load", "ghcr.io/acme/load:1.0"),
    ]


class TracedShop:
    """The shop, running in a cluster."""

    def __init__(self, world: World) -> None:
        self.world = world

    def fork(self, seed: int | None = None) -> TracedShop:
        return TracedShop(self.world.fork(seed))

    def run(self, seconds: float) -> None:
        self.world.run_until(self.world.now + seconds)

    def scale(self, name: str, replicas: int) -> None:
        self.edit("Deployment", name, {"replicas": replicas})

    def edit(self, kind: str, name: str, spec: dict[str, Any]) -> None:
        old = self.world.store.get(Key(RESOURCES[kind], "shop", name))
        assert old is not None
        internal_client.update(
            self.world, RESOURCES[kind], {**old, "spec": {**old["spec"], **spec}}
        )

    def environment(self, name: str, **variables: str) -> None:
        """Give the only container of a Deployment other variables; its pods are replaced."""
        old = self.world.store.get(Key(RESOURCES["Deployment"], "shop", name))
        assert old is not None
        template = old["spec"]["template"]
        (container,) = template["spec"]["containers"]
        env = [{"name": key, "value": value} for key, value in variables.items()]
        containers = [{**container, "env": env}]
        spec = {**template["spec"], "containers": containers}
        self.edit("Deployment", name, {"template": {**template, "spec": spec}})

    def ref(self, name: str) -> ContainerRef:
        running = self.world.service(RUNTIME).running(self.world)
        return [process.ref for process in running if process.ref.name == name][-1]

    def served(self, name: str) -> tuple[Segment, ...]:
        return segments(self.world, SERVED, self.ref(name))

    def ask(self, path: str, **parameters: str) -> Response:
        return service_of("jaeger")(self.world, Request("GET", path, tuple(parameters.items())))

    def ask_text(self, url: str) -> tuple[int, str]:
        """(status, body) of a path with its query as text."""
        path, _, query = url.partition("?")
        pairs = tuple(parse_qsl(query, keep_blank_values=True))
        answer = service_of("jaeger")(self.world, Request("GET", path, pairs))
        return answer.status, answer.body.decode()

    def traces(self, **parameters: str) -> list[dict[str, Any]]:
        answer = self.ask("/api/traces", **{"limit": "1500", **parameters})
        assert answer.status == 200, answer.body
        found: list[dict[str, Any]] = json.loads(answer.body)["data"]
        return found


def started(text: str = MODEL, more: list[dict[str, Any]] | None = None) -> World:
    world = build(Blueprint(models=(parse_service_model(text, "shop.yaml"),)))
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    for obj in [*(more or []), *manifests()]:
        version = "apps/v1" if obj["kind"] == "Deployment" else "v1"
        internal_client.create(world, RESOURCES[obj["kind"]], {"apiVersion": version, **obj})
    world.run_until(world.now + 90)
    return world


@pytest.fixture(scope="session")
def running() -> World:
    return started()


@pytest.fixture
def shop(running: World) -> TracedShop:
    return TracedShop(running.fork())


def changed(before: str, after: str) -> TracedShop:
    """The shop with another model."""
    assert MODEL.count(before) == 1
    return TracedShop(started(MODEL.replace(before, after)))


@pytest.fixture
def panicking() -> TracedShop:
    """The shop with a stock that does not survive the loss of its cache."""
    reaction = "{then: panic, returns: 'rpc error: code = Unavailable desc = transport is closing'}"
    before = "hit_rate: 0.9\n"
    return changed(before, f"{before}            on_error: {reaction}\n")


@pytest.fixture
def hasty() -> TracedShop:
    """The shop with a web that waits for prices for a millisecond, and asks once more."""
    before = 'address: "price:8082", timeout_s: 1}'
    return changed(before, 'address: "price:8082", timeout_s: 0.001, retry: {times: 1}}')


BATCH = """
  recount:
    tracing: {service: recount, library: jaeger, version: Go-2.11.2, collector: "jaeger:6831", spans: {stock.Reserve: /shop.Stock/Reserve}}
    clients: {stock: {protocol: grpc, address: "stock:8081", timeout_s: 1}}
    startup: [{run: Recount, times: "40", rate: "2"}, {exit: "0"}]
    operations: {Recount: {listener: "", calls: [{call: stock.Reserve}]}}
  load:
"""


@pytest.fixture
def recounted() -> TracedShop:
    text = MODEL.replace("\n  load:\n", BATCH).replace(
        "price: price}", "price: price, /app/bin/recount: recount}"
    )
    shop = TracedShop(started(text))
    template: Any = workload("recount", "ghcr.io/acme/shop:1.0", command=["recount"])
    template = template["spec"]["template"]
    template["spec"]["restartPolicy"] = "Never"
    metadata = {"name": "recount", "namespace": "shop"}
    internal_client.create(
        shop.world, "jobs.batch", {"metadata": metadata, "spec": {"template": template}}
    )
    shop.run(40)
    return shop


BOOKING = """
  book:
    tracing: {service: book, collector: "jaeger:4317"}
    clients:
      broker: {protocol: kafka, address: "broker:9092"}
      price: {protocol: grpc, address: "price:8082", timeout_s: 1}
    consumers: {orders: {client: broker, topic: orders, group: booking, operation: Book}}
    operations: {Book: {listener: "", cpu_ms: 4, calls: [{call: price.Quote}]}}
  till:
    clients: {broker: {protocol: kafka, address: "broker:9092"}}
    startup: [{run: Sell, times: "100000", rate: "2"}]
    operations: {Sell: {listener: "", calls: [{call: broker.produce, collection: orders}]}}
  broker: {kind: kafka, topics: {orders: {partitions: 2}}}
  load:
"""
KAFKA = """
  - repository: apache/kafka
    tags: ["3.7.1"]
    size_mib: 200
    binaries: {/bin/kafka: broker}
    tools: [busybox, kafka]
  - repository: ghcr.io/acme/load
"""
PUBLISHED = """
          - call: broker.produce
            collection: orders
      browse:"""


@pytest.fixture(scope="session")
def booked() -> World:
    """The shop whose orders go through a topic, with an untraced till that nobody uses yet."""
    shop = "ghcr.io/acme/shop:1.0"
    text = (
        MODEL.replace("\n  load:\n", BOOKING)
        .replace("\n  - repository: ghcr.io/acme/load\n", KAFKA)
        .replace("price: price}", "price: price, /app/bin/book: book, /app/bin/till: till}")
        .replace("\n      browse:", PUBLISHED, 1)
        .replace(
            "    operations:\n      buy:",
            '      broker: {protocol: kafka, address: "broker:9092"}\n    operations:\n      buy:',
        )
    )
    till = workload("till", shop, command=["till"])
    till["spec"]["replicas"] = 0
    more = [
        service("broker", 9092),
        workload("broker", "apache/kafka:3.7.1", command=["kafka"]),
        workload("book", shop, command=["book"]),
        till,
    ]
    return started(text, more)


@pytest.fixture
def post(booked: World) -> TracedShop:
    return TracedShop(booked.fork())
