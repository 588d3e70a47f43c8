"""Links: latency, loss and partitions between ends, and what callers see of them."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.links import Link, PathEnd, path_between
from sregym_cluster_embedded.network.outcomes import CLEAR, Outcome, Path
from sregym_cluster_embedded.store import Key, Object

PODS = """
apiVersion: v1
kind: Pod
metadata: {name: server, labels: {app: server}}
spec: {nodeName: node1, containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {nodeName: node2, containers: [{name: c, image: "registry.example/library/busybox:1.36", command: [sleep, "86400"]}]}
---
apiVersion: v1
kind: Service
metadata: {name: server}
spec: {clusterIP: 10.96.70.1, selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
"""


@pytest.fixture
def town(shop: Any) -> Any:
    shop.apply(PODS)
    shop.run(10)
    return shop


def pod(town: Any, name: str) -> Object:
    found: Object = town.world.store.get(Key("pods", "shop", name))
    return found


def outcome(town: Any, host: str = "server") -> str:
    network = town.world.service(NETWORK)
    return str(network.dial(town.world, pod(town, "client"), host, 80).outcome)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("*", True),
        ("pod:u1", True),
        ("pod:u2", False),
        ("node:node1", True),
        ("node:", False),
        ("ip:10.244.0.5", True),
        ("cidr:10.244.0.0/24", True),
        ("cidr:10.244.1.0/24", False),
        ("namespace:shop", True),
        ("namespace:", False),
        ("service:web", False),
    ],
)
def test_ends_by_name(name: str, meant: bool) -> None:
    assert PathEnd("u1", "shop", "node1", "10.244.0.5").is_called(name) == meant


def test_both_directions_add_up(town: Any) -> None:
    here, there = (
        PathEnd("u1", "shop", "node1", "10.244.0.5"),
        PathEnd("u2", "shop", "node2", "10.244.1.5"),
    )
    assert path_between(town.world, here, there) == CLEAR
    links.set_link(town.world, "node:node1", "*", Link(latency_ms=30, jitter_ms=3, loss=0.5))
    links.set_link(
        town.world, "pod:u2", "pod:u1", Link(latency_ms=5, jitter_ms=4, loss=0.5, bandwidth_mbit=8)
    )
    expected = Path(35.0, 5.0, 0.75, 8, None)
    assert path_between(town.world, here, there) == expected
    assert path_between(town.world, there, here) == expected
    # What a pod says to itself does not leave it.
    assert path_between(town.world, here, here) == CLEAR


def test_a_partition_between_nodes_and_its_end(town: Any) -> None:
    assert outcome(town) == "connected"
    links.cut(town.world, "node:node1", "node:node2")
    assert outcome(town, "10.96.70.1") == "timeout"
    links.cut(town.world, "node:node1", "node:node2", Outcome.REFUSED)
    assert outcome(town, "10.96.70.1") == "refused"
    links.clear_links(town.world)
    assert outcome(town, "10.96.70.1") == "connected"


def test_one_direction_that_is_cut_is_enough(town: Any) -> None:
    client = pod(town, "client")["metadata"]["uid"]
    links.set_link(town.world, "*", f"pod:{client}", links.CUT)
    assert outcome(town, "10.96.70.1") == "timeout"
    links.clear_link(town.world, "*", f"pod:{client}")
    assert outcome(town, "10.96.70.1") == "connected"


def test_loss_of_all_is_a_cut(town: Any) -> None:
    links.set_link(town.world, "*", "*", Link(loss=1.0))
    assert outcome(town, "10.96.70.1") == "timeout"


def test_routes_tell_of_each_way(town: Any) -> None:
    network, uid = town.world.service(NETWORK), pod(town, "client")["metadata"]["uid"]
    server = pod(town, "server")["metadata"]["uid"]
    assert network.routes(town.world, uid, "10.96.70.1", 80).paths == ()
    links.set_link(town.world, f"pod:{uid}", f"pod:{server}", Link(latency_ms=200))
    assert network.routes(town.world, uid, "10.96.70.1", 80).paths == (Path(200.0),)


def test_slow_links_to_the_name_server_make_look_ups_slow(town: Any) -> None:
    (dns,) = town.pods("kube-system")
    links.set_link(town.world, "*", f"pod:{dns['metadata']['uid']}", Link(latency_ms=250))
    network = town.world.service(NETWORK)
    looked = network.lookup(town.world, pod(town, "client"), "server")
    assert (looked.status, looked.seconds) == ("ok", 0.25)
    # A name that is found with the last search domain is asked for four times.
    looked = network.lookup(town.world, pod(town, "client"), "nothing")
    assert (looked.status, looked.seconds) == ("nxdomain", 1.0)


def test_forks_have_links_of_their_own(town: Any) -> None:
    twin = town.world.fork()
    links.cut(twin, "*", "*")
    network = town.world.service(NETWORK)
    client = pod(town, "client")
    assert network.dial(twin, client, "10.96.70.1", 80).outcome == "timeout"
    assert network.dial(town.world, client, "10.96.70.1", 80).outcome == "connected"


def test_full_tables_of_a_node(town: Any) -> None:
    for name, number in (("node1", 0), ("node2", 1)):
        machines.add(town.world, machines.Machine(name, number, 2**20, ()))
    assert outcome(town, "10.96.70.1") == "connected"
    machines.change(town.world, "node1", other_connections=262_144)
    assert outcome(town, "10.96.70.1") == "timeout"
    machines.change(town.world, "node1", other_connections=10, other_ports=28_232)
    # Only who dials needs a port of his own.
    assert outcome(town, "10.96.70.1") == "connected"
    machines.change(town.world, "node2", other_ports=28_232)
    assert outcome(town, "10.96.70.1") == "no_port"
    machines.set_sysctl(town.world, "node2", "net.ipv4.ip_local_port_range", "1024 60999")
    assert outcome(town, "10.96.70.1") == "connected"


def test_a_machine_that_is_off_answers_nobody(town: Any) -> None:
    machines.add(town.world, machines.Machine("node1", 0, 2**20, ()))
    network, client = town.world.service(NETWORK), pod(town, "client")
    machines.change(town.world, "node1", powered=False)
    assert outcome(town, "10.96.70.1") == "no_route"
    assert network.dial(town.world, client, "10.77.0.2", 10250).outcome == "no_route"
    assert network.echo(town.world, client, "10.77.0.2").outcome == "no_route"
    machines.change(town.world, "node1", powered=True)
    assert outcome(town, "10.96.70.1") == "connected"


def test_pings(town: Any) -> None:
    network, client, server = town.world.service(NETWORK), pod(town, "client"), pod(town, "server")
    ip, own = server["status"]["podIP"], client["status"]["podIP"]
    found = {
        host: network.echo(town.world, client, host)[:3]
        for host in (ip, own, "10.77.0.3", "10.77.0.2", "server", "10.244.0.99", "192.0.2.1", "no")
    }
    assert found == {
        ip: ("connected", ip, 62),
        own: ("connected", own, 64),
        "10.77.0.3": ("connected", "10.77.0.3", 64),
        "10.77.0.2": ("connected", "10.77.0.2", 63),
        "server": ("timeout", "10.96.70.1", 64),
        "10.244.0.99": ("no_route", "10.244.0.99", 64),
        "192.0.2.1": ("unreachable", "192.0.2.1", 64),
        "no": ("name", "", 64),
    }
    links.set_link(town.world, "node:node2", "node:node1", Link(latency_ms=40, loss=0.25))
    assert network.echo(town.world, client, ip).path == Path(40.0, 0.0, 0.25)
    links.cut(town.world, "node:node2", "node:node1")
    assert network.echo(town.world, client, ip).outcome == "timeout"
