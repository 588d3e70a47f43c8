"""What trouble in the network does to the requests of an application."""

from __future__ import annotations

import pytest
import yaml
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.network.links import Link
from sregym_cluster_embedded.network.outcomes import Outcome, Path
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic import Totals
from sregym_cluster_embedded.traffic.latency import Time, network_time, timed_out_share
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME
from sregym_cluster_embedded.world import World

MODEL = """
application: market
images:
  - repository: ghcr.io/acme/market
    tags: ["1.0"]
    size_mib: 20
    env: {PATH: "/bin"}
    binaries: {/bin/web: web, /bin/price: price, /bin/load: load}
    tools: [busybox]
programs:
  web:
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    clients: {price: {protocol: grpc, address: "price:8082", timeout_s: 1}}
    operations:
      buy:
        listener: http
        route: GET /buy
        calls:
          - call: price.Quote
            on_error: {log: [{level: error, text: "quote: ${error}"}]}
  price:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8082}}
    operations: {Quote: {listener: grpc, cpu_ms: 0.1}}
  load:
    kind: load-generator
    target: http://web:8080
    rate: 100
    timeout_s: 3
    mix: {buy: {request: GET /buy, weight: 1}}
"""
POD = """
metadata: {{name: {name}, namespace: default, labels: {{app: {name}}}}}
spec: {{nodeName: {node}, containers: [{{name: main, image: "ghcr.io/acme/market:1.0", command: [{name}]}}]}}
"""
SERVICE = """
metadata: {{name: {name}, namespace: default}}
spec: {{selector: {{app: {name}}}, ports: [{{port: {port}}}]}}
"""


@pytest.fixture(scope="module")
def opened() -> World:
    world = build(Blueprint(models=(parse_service_model(MODEL, "market.yaml"),)))
    for name, port in (("web", 8080), ("price", 8082)):
        internal_client.create(
            world, "services", yaml.safe_load(SERVICE.format(name=name, port=port))
        )
    for name, node in (("price", "node2"), ("web", "node1"), ("load", "node3")):
        internal_client.create(world, "pods", yaml.safe_load(POD.format(name=name, node=node)))
        world.run_until(world.now + 20)
    return world


@pytest.fixture
def world(opened: World) -> World:
    return opened.fork()


def seen(world: World, seconds: float = 30.0) -> Totals:
    """What users see over the next seconds."""
    world.run_until(world.now + 3)
    begun = world.now
    world.run_until(begun + seconds)
    (window,) = world.service(REQUEST_FLOW).window(world, begun, world.now)
    totals: Totals = window.totals
    return totals


def uid(world: World, name: str) -> str:
    pod = world.store.get(Key("pods", "default", name))
    assert pod is not None
    return str(pod["metadata"]["uid"])


# A hundred a second for half a minute, as chance has it.
CAME = pytest.approx(3000, abs=4 * 3000**0.5)


def errors(world: World) -> list[str]:
    """The different errors that the web server wrote lately, without their times."""
    runtime = world.service(RUNTIME)
    ref = next(ref for ref in world.table("userland.processes") if ref.pod == "web")
    texts = [line.text for line in runtime.logs(world, ref, since=world.now - 5)]
    return list(dict.fromkeys(text[text.index("quote: ") :] for text in texts))


def test_a_clear_network_costs_nothing(world: World) -> None:
    totals = seen(world)
    assert totals.requests == totals.ok == CAME
    assert totals.time.quantile(0.5) < 2


def test_latency_is_added_to_each_call(world: World) -> None:
    links.set_link(world, "node:node1", "node:node2", Link(latency_ms=150))
    totals = seen(world)
    assert totals.requests == totals.ok == CAME
    assert 150 < totals.time.quantile(0.5) < 153
    links.clear_links(world)
    assert seen(world).time.quantile(0.5) < 2


def test_latency_beyond_a_callers_patience_is_a_timeout(world: World) -> None:
    links.set_link(world, "*", f"pod:{uid(world, 'price')}", Link(latency_ms=1500))
    assert seen(world).ok == 0
    assert errors(world) == [
        "quote: rpc error: code = DeadlineExceeded desc = context deadline exceeded"
    ]


def test_latency_to_the_entry_counts_for_users(world: World) -> None:
    links.set_link(world, f"pod:{uid(world, 'load')}", f"pod:{uid(world, 'web')}", Link(4000))
    assert seen(world).failed == {"timeout": CAME}


def test_loss_makes_some_requests_late_and_some_fail(world: World) -> None:
    links.set_link(world, f"pod:{uid(world, 'price')}", "*", Link(loss=0.3))
    totals = seen(world)
    # Three lost packets in a row end the timeout of one second: 2.7 %.
    assert totals.ok / totals.requests == pytest.approx(0.973, abs=0.01)
    assert totals.time.quantile(0.5) > 10


@pytest.mark.parametrize(
    ("fails", "error"),
    [
        (Outcome.TIMEOUT, "rpc error: code = DeadlineExceeded desc = context deadline exceeded"),
        (
            Outcome.REFUSED,
            'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while '
            'dialing: dial tcp {ip}:8082: connect: connection refused"',
        ),
        (
            Outcome.NO_ROUTE,
            'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while '
            'dialing: dial tcp {ip}:8082: connect: no route to host"',
        ),
    ],
)
def test_a_partition_in_the_words_of_the_caller(world: World, fails: Outcome, error: str) -> None:
    service = world.store.get(Key("services", "default", "price"))
    assert service is not None
    links.cut(world, "node:node1", "node:node2", fails)
    assert seen(world).ok == 0
    assert errors(world) == ["quote: " + error.format(ip=service["spec"]["clusterIP"])]


def test_a_policy_without_rules_stops_the_traffic(world: World) -> None:
    spec = {"podSelector": {"matchLabels": {"app": "price"}}, "policyTypes": ["Ingress"]}
    metadata = {"name": "deny", "namespace": "default"}
    internal_client.create(
        world, "networkpolicies.networking.k8s.io", {"metadata": metadata, "spec": spec}
    )
    assert seen(world).ok == 0
    internal_client.delete(world, Key("networkpolicies.networking.k8s.io", "default", "deny"))
    assert seen(world).ok == CAME


PROBES = """
readinessProbe: {httpGet: {path: /buy, port: 8080}, periodSeconds: 5}
livenessProbe: {tcpSocket: {port: 8080}, periodSeconds: 10}
"""


def test_a_pod_that_its_node_cannot_reach_fails_its_probes(world: World) -> None:
    pod = yaml.safe_load(POD.format(name="web", node="node1"))
    pod["metadata"]["name"] = "probed"
    pod["spec"]["containers"][0] |= yaml.safe_load(PROBES)
    internal_client.create(world, "pods", pod)
    world.run_until(world.now + 20)
    probed = world.store.get(Key("pods", "default", "probed"))
    assert probed is not None
    assert probed["status"]["containerStatuses"][0]["ready"]
    ip = probed["status"]["podIP"]
    links.set_link(world, "*", f"ip:{ip}", Link(latency_ms=1200))
    world.run_until(world.now + 25)
    probed = world.store.get(Key("pods", "default", "probed"))
    assert probed is not None
    assert not probed["status"]["containerStatuses"][0]["ready"]
    told = {
        event["message"]
        for event in world.store.list("events", "default")
        if event["reason"] == "Unhealthy"
    }
    assert told == {
        f'Readiness probe failed: Get "http://{ip}:8080/buy": context deadline exceeded '
        "(Client.Timeout exceeded while awaiting headers)",
        f"Liveness probe failed: dial tcp {ip}:8080: i/o timeout",
    }
    links.clear_links(world)
    world.run_until(world.now + 60)
    probed = world.store.get(Key("pods", "default", "probed"))
    assert probed is not None
    assert probed["status"]["containerStatuses"][0]["ready"]


def test_time_on_the_way() -> None:
    assert network_time(Path(latency_ms=20, jitter_ms=3)) == Time(20, 9)
    assert network_time(Path(bandwidth_mbit=1)) == Time(64.0, 0)
    slow = network_time(Path(loss=0.1))
    # 9 % wait 200 ms, 0.9 % 600 ms, 0.09 % 1.4 s ...
    assert round(slow.mean_ms, 3) == 25.0
    assert timed_out_share(Path(loss=0.1), 1000) == pytest.approx(0.001)
    assert timed_out_share(Path(loss=0.1), 100) == 0.1
    assert timed_out_share(Path(latency_ms=500), 100) == 0.0
