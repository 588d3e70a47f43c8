"""A booth of two front ends, a store on MongoDB, a message queue, and a worker that leaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.world import World
from sregym_promql import Engine, Matcher, StoredSeries

MODEL = """
application: booth
images:
  - repository: ghcr.io/acme/booth
    tags: ["1.0"]
    size_mib: 48
    env: {PATH: "/app/bin:/bin"}
    binaries: {/app/bin/web: web, /app/bin/stock: stock, /app/bin/leak: leak, /app/bin/broker: broker, /app/bin/book: book}
    tools: [busybox]
  - repository: mongo
    tags: ["4.4.6"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo]
  - repository: ghcr.io/acme/load
    tags: ["1.0"]
    size_mib: 10
    entrypoint: [/load]
    binaries: {/load: load}
    tools: [busybox]
programs:
  web:
    memory: {base_mib: 20, per_rps_kib: 20}
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    clients:
      stock: {protocol: grpc, address: "stock:8081", timeout_s: 1}
      broker: {protocol: kafka, address: "broker:9092"}
    operations:
      buy:
        listener: http
        route: GET /buy
        cpu_ms: 0.4
        calls: [{call: stock.Reserve}]
      look:
        listener: http
        route: GET /look
        cpu_ms: 0.2
        calls: [{call: broker.produce, collection: views}]
  stock:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8081}}
    clients:
      mongo: {protocol: mongodb, address: "mongodb:27017", database: stock-db}
    operations:
      Reserve:
        listener: grpc
        cpu_ms: 0.3
        calls: [{call: mongo.find, collection: items}]
  leak:
    memory: {base_mib: 10, leak_mib_per_hour: 600}
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    operations: {ok: {listener: http, route: GET /ok}}
  book:
    clients: {broker: {protocol: kafka, address: "broker:9092"}}
    operations: {Note: {listener: "", cpu_ms: 2}}
    consumers: {views: {client: broker, topic: views, group: counting, operation: Note}}
  broker: {kind: kafka, topics: {views: {partitions: 2}}}
  mongod: {kind: mongodb, version: 4.4.6}
  load:
    kind: load-generator
    target: http://web:8080
    rate: 99.9
    mix:
      buy: {request: GET /buy, weight: 2}
      look: {request: GET /look, weight: 1}
"""

_RESOURCES = {"Deployment": "deployments.apps", "Service": "services"}


def workload(name: str, image: str, replicas: int = 1, **container: Any) -> dict[str, Any]:
    labels = {"app": name}
    spec = {"containers": [{"name": name, "image": image, **container}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "booth"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def service(name: str, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "booth"},
        "spec": {"selector": {"app": name}, "ports": [{"port": port, "targetPort": port}]},
    }


def manifests() -> list[dict[str, Any]]:
    image = "ghcr.io/acme/booth:1.0"
    limits = {"requests": {"cpu": "100m"}, "limits": {"cpu": "500m", "memory": "64Mi"}}
    return [
        workload("mongodb", "mongo:4.4.6"),
        workload("stock", image, command=["stock"]),
        workload("web", image, 2, command=["web"], resources=limits),
        workload("leak", image, command=["leak"], resources={"limits": {"memory": "20Mi"}}),
        workload("broker", image, command=["broker"]),
        workload("book", image, command=["book"]),
        workload("load", "ghcr.io/acme/load:1.0"),
        service("mongodb", 27017),
        service("broker", 9092),
        service("stock", 8081),
        service("web", 8080),
    ]


class Booth:
    """The booth in a cluster, and its metrics."""

    def __init__(self, world: World) -> None:
        self.world = world

    def run(self, seconds: float) -> None:
        self.world.run_until(self.world.now + seconds)

    def edit(self, kind: str, name: str, change: Callable[[dict[str, Any]], None]) -> None:
        old = self.world.store.get(Key(_RESOURCES[kind], "booth", name))
        new = yaml.safe_load(yaml.safe_dump(old))
        change(new)
        internal_client.update(self.world, _RESOURCES[kind], new)

    def delete(self, resource: str, name: str) -> None:
        internal_client.delete(self.world, Key(resource, "booth", name))

    def pods(self, name: str) -> list[str]:
        return [
            pod["metadata"]["name"]
            for pod in self.world.store.list("pods", "booth")
            if pod["metadata"]["labels"]["app"] == name
        ]

    def instances(self, name: str) -> list[ContainerInstance]:
        found = [instance for instance in instances(self.world) if instance.ref.name == name]
        return sorted(found, key=lambda instance: instance.process.started_at)

    def all_instances(self) -> list[ContainerInstance]:
        return list(instances(self.world))

    def ref(self, name: str) -> ContainerRef:
        return self.instances(name)[-1].ref

    def series(self, name: str, start_s: float = 0.0, /, **labels: str) -> list[StoredSeries]:
        """The series of a metric from a virtual second to now."""
        matchers = [Matcher("__name__", "=", name)]
        matchers.extend(Matcher(label, "=", value) for label, value in labels.items())
        epoch_ms = self.world.epoch * 1000
        end_ms = epoch_ms + round(self.world.now * 1000)
        storage = WorldStorage(self.world)
        return list(storage.select(matchers, epoch_ms + round(start_s * 1000), end_ms))

    def ask(self, query: str, at: float | None = None) -> dict[tuple[str, ...], float]:
        """The values of an instant query, by the values of its labels."""
        moment = self.world.epoch + (self.world.now if at is None else at)
        answer = Engine(WorldStorage(self.world)).instant(query, moment)
        return {tuple(value for _, value in labels): value for labels, value in answer.rows}


@pytest.fixture(scope="session")
def opened() -> World:
    world = build(Blueprint(models=(parse_service_model(MODEL, "booth.yaml"),)))
    internal_client.create(world, "namespaces", {"metadata": {"name": "booth"}})
    for obj in manifests():
        internal_client.create(world, _RESOURCES[obj["kind"]], obj)
    world.run_until(world.now + 300)
    return world


@pytest.fixture
def booth(opened: World) -> Booth:
    return Booth(opened.fork())
