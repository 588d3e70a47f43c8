"""A market of a few services whose model a test changes, on a cluster of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic import Totals
from sregym_cluster_embedded.traffic.segments import SERVED, Segment, segments
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME
from sregym_cluster_embedded.world import World

MODEL: dict[str, Any] = yaml.safe_load("""
application: market
images:
  - repository: ghcr.io/acme/market
    tags: ["1.0"]
    size_mib: 20
    env: {PATH: "/bin"}
    binaries: {/bin/web: web, /bin/stock: stock, /bin/cache: cache, /bin/load: load}
    tools: [busybox, kafka]
programs:
  web:
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    clients: {stock: {protocol: grpc, address: "stock:8080", timeout_s: 1}}
    operations:
      buy:
        listener: http
        route: GET /buy
        calls: [{call: stock.Take}]
  stock:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8080}}
    operations: {Take: {listener: grpc, cpu_ms: 2}}
  cache: {kind: memcached, port: 8080}
  load:
    kind: load-generator
    target: http://web:8080
    rate: 100
    timeout_s: 5
    mix: {buy: {request: GET /buy, weight: 1}}
""")


@dataclass
class Market:
    """A cluster on which the programs of the market run as Deployments."""

    world: World
    programs: list[str] = field(default_factory=list)

    def deploy(self, name: str, replicas: int = 1, **limits: Any) -> None:
        probes = {key: limits.pop(key) for key in list(limits) if key.endswith("Probe")}
        resources = {"limits": limits} if limits else {}
        container = {
            "name": name,
            "image": "ghcr.io/acme/market:1.0",
            "command": [name],
            "resources": resources,
            **probes,
        }
        labels = {"app": name}
        spec = {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        }
        metadata = {"name": name, "namespace": "default"}
        internal_client.create(self.world, "deployments.apps", {"metadata": metadata, "spec": spec})
        if name != "load":
            service = {"selector": labels, "ports": [{"port": 8080, "targetPort": 8080}]}
            internal_client.create(self.world, "services", {"metadata": metadata, "spec": service})
        self.programs.append(name)

    def scale(self, name: str, replicas: int) -> None:
        found = self.world.store.get(Key("deployments.apps", "default", name))
        assert found is not None
        spec = {**found["spec"], "replicas": replicas}
        internal_client.update(self.world, "deployments.apps", {**found, "spec": spec})

    def run(self, seconds: float) -> None:
        self.world.run_until(self.world.now + seconds)

    def seen(self, seconds: float) -> Totals:
        """What users see over the next seconds."""
        begun = self.world.now
        self.run(seconds)
        return self.between(begun, self.world.now)

    def between(self, start: float, end: float) -> Totals:
        (window,) = self.world.service(REQUEST_FLOW).window(self.world, start, end)
        totals: Totals = window.totals
        return totals

    def refs(self, name: str) -> list[ContainerRef]:
        """Lives of the program that were ever started, in the order of their start."""
        return [ref for ref in self.world.table("userland.processes") if ref.name == name]

    def history(self, name: str) -> tuple[Segment, ...]:
        """What the latest life of a program served."""
        return segments(self.world, SERVED, self.refs(name)[-1])

    def shell(self, name: str, script: str) -> tuple[int, str, str]:
        """Exit code, output and errors of a script in the latest container of a program."""
        runtime = self.world.service(RUNTIME)
        result = runtime.exec(self.world, self.refs(name)[-1], ("sh", "-c", script), "")
        return result.exit_code, result.stdout, result.stderr

    def memory(self, name: str) -> int:
        """Working set of the latest life of a program."""
        held: int = self.world.service(RUNTIME).memory_bytes(self.world, self.refs(name)[-1])
        return held

    def logs(self, name: str) -> list[str]:
        """What the latest life of a program wrote."""
        return [
            line.text for line in self.world.service(RUNTIME).logs(self.world, self.refs(name)[-1])
        ]

    def fork(self) -> Market:
        return Market(self.world.fork(), list(self.programs))


MakeMarket = Callable[..., Market]


@pytest.fixture(scope="session")
def make_market() -> MakeMarket:
    """A market at rest; `changes` replace parts of the model, by path of keys."""

    def made(
        changes: Mapping[str, Any] | None = None,
        limits: Mapping[str, Mapping[str, str]] | None = None,
        replicas: Mapping[str, int] | None = None,
        programs: tuple[str, ...] = ("stock", "web", "load"),
        env: Mapping[str, str] | None = None,
        tools: Sequence[str] = ("busybox", "kafka"),
    ) -> Market:
        model = deepcopy(MODEL)
        model["images"][0]["env"].update(env or {})
        model["images"][0]["tools"] = [*tools]
        for path, value in (changes or {}).items():
            *route, last = path.split(".")
            place = model["programs"]
            for key in route:
                place = place[int(key)] if isinstance(place, list) else place[key]
            place[last] = value
        model["images"][0]["binaries"] = {f"/bin/{name}": name for name in model["programs"]}
        parsed = parse_service_model(yaml.safe_dump(model), "market.yaml")
        market = Market(build(Blueprint(models=(parsed,))))
        for name in programs:
            if name == "load":
                market.run(30)
            market.deploy(name, (replicas or {}).get(name, 1), **(limits or {}).get(name, {}))
        market.run(30)
        return market

    return made
