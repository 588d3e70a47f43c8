"""Where packets for the addresses of Services and nodes go."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.network.connect import ConnectResult
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.store import Key, Object

NODE1, NODE2 = "10.77.0.2", "10.77.0.3"


def pod(town: Any, name: str) -> Object:
    found: Object = town.world.store.get(Key("pods", "shop", name))
    return found


def dial(
    town: Any, source: str | None, host: str, port: int, protocol: str = "TCP"
) -> ConnectResult:
    client = None if source is None else pod(town, source)
    network = town.world.service(NETWORK)
    found: ConnectResult = network.dial(town.world, client, host, port, protocol)
    return found


def ends(town: Any, source: str, host: str, port: int = 80) -> list[tuple[str, int]]:
    """(pod, port) of all ends of the connections from a pod."""
    names = {entry["metadata"]["uid"]: entry["metadata"]["name"] for entry in town.pods()}
    uid = pod(town, source)["metadata"]["uid"]
    routes = town.world.service(NETWORK).routes(town.world, uid, host, port)
    return sorted((names[uid], number) for _, uid, _, number in routes.backends)


@pytest.mark.parametrize(
    ("source", "host", "port", "outcome"),
    [
        ("near", "named", 80, "connected"),
        ("near", "named", 81, "refused"),
        ("near", "named", 82, "no_route"),
        ("near", "10.96.99.99", 80, "no_route"),
        ("near", "local", 80, "connected"),
        ("far", "local", 80, "timeout"),
        ("far", NODE1, 30080, "connected"),
        ("far", NODE2, 30080, "connected"),
        (None, NODE2, 30080, "connected"),
        ("near", NODE1, 30081, "connected"),
        ("near", NODE2, 30081, "timeout"),
        ("far", NODE2, 30081, "connected"),
        (None, NODE2, 30081, "timeout"),
        (None, NODE1, 30081, "connected"),
        ("near", NODE1, 30082, "refused"),
        ("near", NODE1, 30099, "refused"),
        ("near", "203.0.113.9", 80, "connected"),
        ("near", "203.0.113.9", 81, "no_route"),
        ("near", "203.0.113.8", 80, "unreachable"),
        ("near", "10.77.0.99", 80, "no_route"),
        ("near", "manual", 80, "refused"),
        ("near", NODE2, 7070, "connected"),
        ("near", NODE2, 6060, "connected"),
        ("near", NODE1, 6060, "refused"),
        ("near", NODE1, 6443, "connected"),
        ("near", NODE2, 6443, "refused"),
        ("near", NODE2, 10250, "connected"),
        ("near", NODE2, 22, "refused"),
        ("near", "kubernetes.default.svc", 443, "connected"),
        ("near", "kubernetes.default.svc", 80, "no_route"),
        ("near", "nothing", 80, "name"),
        (None, "named", 80, "name"),
    ],
)
def test_outcomes(town: Any, source: str | None, host: str, port: int, outcome: str) -> None:
    assert dial(town, source, host, port).outcome == outcome


def test_named_ports_are_each_pods_own(town: Any) -> None:
    assert ends(town, "near", "named") == [("one", 8080), ("two", 9090)]


def test_udp_and_tcp_are_different_ports(town: Any) -> None:
    assert dial(town, "near", "10.96.50.9", 80).outcome == "no_route"
    assert dial(town, "near", "10.96.50.9", 80, "UDP").outcome == "connected"


def test_waiting_for_a_host_that_is_not_there(town: Any) -> None:
    assert dial(town, "near", "10.96.99.99", 80).seconds == 3.1
    assert dial(town, "far", "local", 80).seconds == float("inf")
    assert dial(town, "near", "named", 80).seconds == 0.0


def test_one_client_keeps_to_one_endpoint(town: Any) -> None:
    reached = []
    for _ in range(6):
        backend = dial(town, "near", "sticky", 80).backend
        assert backend is not None
        reached.append(backend.pod)
        town.run(60)
    assert len(dict.fromkeys(reached)) == 1
    assert len(ends(town, "near", "sticky")) == 1
    # When that one goes, another is found.
    internal_client.delete(town.world, Key("pods", "shop", reached[0]))
    town.run(40)
    backend = dial(town, "near", "sticky", 80).backend
    assert backend is not None
    assert {reached[0], backend.pod} == {"one", "two"}


def test_endpoints_by_hand(town: Any) -> None:
    address = pod(town, "one")["status"]["podIP"]
    town.apply(
        f"""
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {{name: manual-1, labels: {{kubernetes.io/service-name: manual}}}}
addressType: IPv4
endpoints: [{{addresses: ["{address}"]}}]
ports: [{{port: 8080}}]
"""
    )
    assert dial(town, "near", "manual", 80).outcome == "connected"
    key = Key("endpointslices.discovery.k8s.io", "shop", "manual-1")
    sliced = town.world.store.get(key)
    elsewhere = {**sliced, "endpoints": [{"addresses": ["10.244.0.222"]}]}
    internal_client.update(town.world, key.resource, elsewhere)
    assert dial(town, "near", "manual", 80).outcome == "no_route"


def test_addresses_of_a_load_balancer_need_one(town: Any) -> None:
    town.apply(
        """
apiVersion: v1
kind: Service
metadata: {name: lb}
spec: {type: LoadBalancer, clusterIP: 10.96.50.10, selector: {app: web}, ports: [{port: 80, targetPort: http}]}
"""
    )
    town.run(1)
    key = Key("services", "shop", "lb")
    assert town.world.store.get(key)["status"] == {"loadBalancer": {}}
    assert dial(town, "near", "198.51.100.4", 80).outcome == "unreachable"
    internal_client.update_status(
        town.world, key, {"loadBalancer": {"ingress": [{"ip": "198.51.100.4"}]}}
    )
    assert dial(town, "near", "198.51.100.4", 80).outcome == "connected"


def test_the_address_of_a_deleted_pod_is_nobodys(town: Any) -> None:
    address = pod(town, "one")["status"]["podIP"]
    assert dial(town, "far", address, 8080).outcome == "connected"
    internal_client.delete(town.world, Key("pods", "shop", "one"))
    town.run(40)
    assert dial(town, "far", address, 8080).outcome == "no_route"


def test_a_stopped_proxy_keeps_its_rules(town: Any) -> None:
    proxies.stop(town.world, "node2")
    kept = ends(town, "far", "named")
    internal_client.delete(town.world, Key("pods", "shop", "one"))
    town.run(40)
    assert ends(town, "near", "named") == [("two", 9090)]
    routes = town.world.service(NETWORK).routes(
        town.world, pod(town, "far")["metadata"]["uid"], "named", 80
    )
    assert kept == [("one", 8080), ("two", 9090)]
    assert [number for _, _, _, number in routes.backends] == [8080, 9090]
    outcomes = {dial(town, "far", "10.96.50.1", 80).outcome.value}
    for _ in range(20):
        town.run(1)
        outcomes.add(dial(town, "far", "10.96.50.1", 80).outcome.value)
    assert outcomes == {"connected", "no_route"}
    assert dial(town, "near", NODE2, 10256).outcome == "refused"
    proxies.start(town.world, "node2")
    assert ends(town, "far", "named") == [("two", 9090)]
    assert dial(town, "near", NODE2, 10256).outcome == "connected"


def test_a_proxy_that_is_late_keeps_what_it_wrote_when_it_ends(town: Any) -> None:
    proxies.delay(town.world, "node2", 600.0)
    internal_client.delete(town.world, Key("pods", "shop", "one"))
    town.run(40)
    proxies.stop(town.world, "node2")
    assert not proxies.works(town.world, "node2")
    routes = town.world.service(NETWORK).routes(
        town.world, pod(town, "far")["metadata"]["uid"], "named", 80
    )
    assert [number for _, _, _, number in routes.backends] == [8080, 9090]


@pytest.mark.parametrize(("scheduler", "count"), [("rr", 2), ("sh", 1), ("dh", 1)])
def test_a_scheduler_of_ipvs_may_keep_clients_to_one_endpoint(
    town: Any, scheduler: str, count: int
) -> None:
    proxies.start(town.world, "node2", proxies.Spread("ipvs", scheduler))
    routes = town.world.service(NETWORK).routes(
        town.world, pod(town, "far")["metadata"]["uid"], "named", 80
    )
    assert [share for share, *_ in routes.backends] == [1 / count] * count
    # Stopping changes nothing of it, and other nodes are as they were.
    proxies.stop(town.world, "node2")
    assert len(ends(town, "far", "named")) == count
    assert {dial(town, "near", "10.96.50.1", 80).outcome.value} == {"connected"}
    proxies.start(town.world, "node2")
    assert proxies.rules_of(town.world, "node2").spread.scheduler == scheduler
    proxies.start(town.world, "node2", proxies.EVEN)
    assert proxies.rules_of(town.world, "node2").spread == proxies.Spread()


def test_a_slow_proxy_learns_later(town: Any) -> None:
    proxies.delay(town.world, "node2", 30.0)
    key = Key("services", "shop", "named")
    service = town.world.store.get(key)
    other = {**service["spec"], "selector": {"app": "nobody"}}
    internal_client.update(town.world, "services", {**service, "spec": other})
    town.run(1)
    assert dial(town, "near", "10.96.50.1", 80).outcome == "refused"
    assert dial(town, "far", "10.96.50.1", 80).outcome == "connected"
    town.run(35)
    assert dial(town, "far", "10.96.50.1", 80).outcome == "refused"


def test_a_proxy_finds_the_endpoints_of_a_service(town: Any) -> None:
    network = town.world.service(NETWORK)
    found = network.backends(town.world, "shop", "named", "web")
    assert (found.failure, sorted(entry.pod for entry in found.backends)) == (None, ["one", "two"])
    assert network.backends(town.world, "shop", "named", 80) == found
    assert network.backends(town.world, "shop", "named", 99).failure == "refused"
    assert network.backends(town.world, "shop", "nothing", 80).failure == "refused"


def test_endpoints_for_callers_nearby(town: Any) -> None:
    for name in ("one", "two"):
        address = pod(town, name)["status"]["podIP"]
        zone = {"one": "a", "two": "b"}[name]
        town.apply(
            f"""
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {{name: manual-{name}, labels: {{kubernetes.io/service-name: manual}}}}
addressType: IPv4
endpoints: [{{addresses: ["{address}"], hints: {{forZones: [{{name: {zone}}}]}}}}]
ports: [{{port: {8080 if name == "one" else 9090}}}]
"""
        )
    network, uid = town.world.service(NETWORK), pod(town, "near")["metadata"]["uid"]
    ports = [number for _, _, _, number in network.routes(town.world, uid, "manual", 80).backends]
    assert ports == [8080, 9090]
    node = town.world.store.get(Key("nodes", "", "node1"))
    labels = {**node["metadata"]["labels"], "topology.kubernetes.io/zone": "b"}
    internal_client.update(
        town.world, "nodes", {**node, "metadata": {**node["metadata"], "labels": labels}}
    )
    ports = [number for _, _, _, number in network.routes(town.world, uid, "manual", 80).backends]
    assert ports == [9090]


def test_endpoints_written_in_the_old_way_are_mirrored(town: Any) -> None:
    address = pod(town, "one")["status"]["podIP"]
    subsets = [
        {"addresses": [{"ip": address}], "ports": [{"port": 8080}]},
        {"notReadyAddresses": [{"ip": "10.244.0.9"}], "ports": [{"port": 1, "name": "x"}]},
    ]
    metadata = {"name": "manual", "namespace": "shop", "labels": {"team": "a"}}
    internal_client.create(town.world, "endpoints", {"metadata": metadata, "subsets": subsets})
    town.run(1)
    endpoints = town.world.store.get(Key("endpoints", "shop", "manual"))
    slices = list(
        town.world.store.indexed("endpointslices.discovery.k8s.io", "service", "shop/manual")
    )
    assert [(entry["endpoints"], entry["ports"]) for entry in slices] == [
        (
            [{"addresses": [address], "conditions": {"ready": True}}],
            [{"name": "", "port": 8080, "protocol": "TCP"}],
        ),
        (
            [{"addresses": ["10.244.0.9"], "conditions": {"ready": False}}],
            [{"name": "x", "port": 1, "protocol": "TCP"}],
        ),
    ]
    assert slices[0]["metadata"]["labels"] == {
        "team": "a",
        "kubernetes.io/service-name": "manual",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    }
    assert slices[0]["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "kind": "Endpoints",
            "name": "manual",
            "uid": endpoints["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert dial(town, "near", "manual", 80).outcome == "connected"
    internal_client.update(town.world, "endpoints", {**endpoints, "subsets": subsets[1:]})
    town.run(1)
    assert dial(town, "near", "manual", 80).outcome == "refused"
    internal_client.delete(town.world, Key("endpoints", "shop", "manual"))
    town.run(1)
    left = town.world.store.indexed("endpointslices.discovery.k8s.io", "service", "shop/manual")
    assert list(left) == []


def test_a_balancer_lets_in_who_it_is_told_to(town: Any) -> None:
    town.apply(
        """
apiVersion: v1
kind: Service
metadata: {name: lb}
spec:
  type: LoadBalancer
  clusterIP: 10.96.50.10
  externalTrafficPolicy: Local
  loadBalancerSourceRanges: [10.244.1.0/24]
  selector: {app: web}
  ports: [{port: 80, targetPort: http}]
"""
    )
    town.run(1)
    key = Key("services", "shop", "lb")
    internal_client.update_status(
        town.world, key, {"loadBalancer": {"ingress": [{"ip": "198.51.100.4"}]}}
    )
    outcomes = [dial(town, source, "198.51.100.4", 80).outcome for source in ("far", "near")]
    assert outcomes == ["connected", "timeout"]
    health = town.world.store.get(key)["spec"].get("healthCheckNodePort")
    if health is not None:
        assert dial(town, "near", NODE2, health).outcome == "connected"


def test_endpoints_of_another_family_are_no_endpoints(town: Any) -> None:
    town.apply(
        """
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: manual-6, labels: {kubernetes.io/service-name: manual}}
addressType: IPv6
endpoints: [{addresses: ["fd00::1"]}]
ports: [{port: 8080}]
"""
    )
    assert dial(town, "near", "manual", 80).outcome == "refused"


def test_endpoints_without_addresses_are_passed_over(town: Any) -> None:
    town.apply(
        """
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: manual-0, labels: {kubernetes.io/service-name: manual}}
addressType: IPv4
endpoints: [{conditions: {ready: true}}]
ports: [{port: 8080}]
"""
    )
    assert dial(town, "near", "manual", 80).outcome == "refused"
    network = town.world.service(NETWORK)
    name = "1-2-3-4.manual.shop.svc.cluster.local"
    assert network.query(town.world, pod(town, "near"), "10.96.0.10", name).status == "nxdomain"
