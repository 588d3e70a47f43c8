"""A seed is a world: what two worlds differ in, what agrees in each of them, and pools of origins."""

from __future__ import annotations

import json
import re
from datetime import datetime
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any

import pytest
from sregym_apps.application import ManifestApplication
from sregym_core.interfaces import ClusterSpec, Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.interfaces import Application, Cluster

HOUR_S, DAY_S = 3600, 86_400
NAMESPACE = "hotel-reservation"
SEEDS = (0, 3, 7)


@pytest.fixture(scope="module")
def hotel(factory: ComponentFactory) -> Application:
    return factory.application("hotel-reservation")


@pytest.fixture(scope="module")
def open_world(factory: ComponentFactory, hotel: Application) -> Iterator[Callable[[int], Cluster]]:
    worlds = factory.worlds("embedded", {})
    opened: dict[int, Cluster] = {}

    def give(seed: int) -> Cluster:
        if seed not in opened:
            opened[seed] = worlds.make(hotel, 60.0, seed, served=False).cluster
        return opened[seed]

    yield give
    for cluster in opened.values():
        cluster.close()


def said(cluster: Cluster, line: str) -> str:
    result = cluster.kubectl(Command(("kubectl", *line.split())))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def listed(cluster: Cluster, what: str) -> list[Any]:
    found: list[Any] = json.loads(said(cluster, f"get {what} -A -o json"))["items"]
    return found


def age_s(cluster: Cluster, obj: Any) -> float:
    created = datetime.fromisoformat(obj["metadata"]["creationTimestamp"])
    return cluster.clock.now() - created.timestamp()


def facts(cluster: Cluster) -> dict[str, object]:
    pods = {pod["metadata"]["name"]: pod for pod in listed(cluster, "pods")}
    services = listed(cluster, "services")
    (load,) = [pod for name, pod in pods.items() if name.startswith("hotel-load")]
    return {
        "pod names": sorted(pods),
        "node names": sorted(node["metadata"]["name"] for node in listed(cluster, "nodes")),
        "uids": sorted(pod["metadata"]["uid"] for pod in pods.values()),
        "service addresses": [s["spec"]["clusterIP"] for s in services if s["metadata"]["name"] != "kubernetes"],
        "pod addresses": [pods[name]["status"]["podIP"] for name in sorted(pods)],
        "placement": sorted(
            (pod["metadata"]["labels"].get("io.kompose.service"), pod["status"]["podIP"].split(".")[2])
            for pod in pods.values()
            if pod["metadata"]["namespace"] == NAMESPACE
        ),
        "ages": [int(age_s(cluster, pods[name])) for name in sorted(pods)],
        "time": cluster.clock.now(),
        "load": re.findall(r"-R (\d+)", json.dumps(load["spec"])),
        "mix": weights(load),
        "requests": said(cluster, "logs -n load deploy/hotel-load --tail=4"),
        "processor": said(cluster, "top pods -A"),
    }  # fmt: skip


def test_two_seeds_differ_in_everything_that_is_seen(open_world: Callable[[int], Cluster]) -> None:
    found = [facts(open_world(seed)) for seed in SEEDS]
    same = {
        name
        for name in found[0]
        for first, other in ((0, 1), (0, 2), (1, 2))
        if found[first][name] == found[other][name]
    }
    assert same == set()


def runs_since_it_was_made(pod: Any, prefix: str) -> bool:
    """Whether a pod has such a name, and its container has not been started anew."""
    statuses = pod["status"].get("containerStatuses") or [{"restartCount": 1}]
    return pod["metadata"]["name"].startswith(prefix) and not statuses[0]["restartCount"]


@pytest.mark.parametrize("seed", SEEDS)
def test_all_that_shows_time_agrees(open_world: Callable[[int], Cluster], seed: int) -> None:
    cluster = open_world(seed)
    now = cluster.clock.now()
    nodes, pods = listed(cluster, "nodes"), listed(cluster, "pods")
    own = [pod for pod in pods if pod["metadata"]["namespace"] == NAMESPACE]
    (namespace,) = [n for n in listed(cluster, "namespaces") if n["metadata"]["name"] == NAMESPACE]
    ages = sorted(age_s(cluster, pod) for pod in own)
    assert 20 * DAY_S <= age_s(cluster, nodes[0]) <= 301 * DAY_S
    assert age_s(cluster, namespace) < age_s(cluster, nodes[0]) - DAY_S
    assert ages[-1] <= age_s(cluster, namespace)
    assert ages[0] < ages[-1] - HOUR_S, "all pods are of one age"
    # Their times are whole seconds, and those of a minute go together.
    assert all(now - told.timestamp() < HOUR_S + 61 for told in events(cluster))
    mongo = next(pod for pod in own if runs_since_it_was_made(pod, "mongodb-"))
    name = mongo["metadata"]["name"]
    date = said(cluster, f"exec -n {NAMESPACE} {name} -- date -u +%s")
    assert abs(int(date) - now) <= 1
    uptime = float(said(cluster, f"exec -n {NAMESPACE} {name} -- cat /proc/uptime").split()[0])
    assert uptime == pytest.approx(age_s(cluster, nodes[0]), abs=2 * DAY_S)
    started = value(cluster, f'time() - container_start_time_seconds{{pod="{name}",container!=""}}')
    assert started == pytest.approx(age_s(cluster, mongo), abs=120)
    last = said(cluster, "logs -n load deploy/hotel-load --tail=1 --timestamps").split()[0]
    written = datetime.fromisoformat(last[:19] + "+00:00").timestamp()
    assert 0 <= now - written <= 15


def weights(load: Any) -> dict[str, float]:
    (container,) = load["spec"]["containers"]
    return {
        entry["name"].removeprefix("WEIGHT_").lower(): float(entry["value"])
        for entry in container["env"]
    }


def test_the_mix_of_requests_is_that_of_the_seed(
    open_world: Callable[[int], Cluster], hotel: Application
) -> None:
    """What users ask for has the shares that the load generator was given, seed by seed."""
    for seed in SEEDS:
        cluster = open_world(seed)
        (load,) = [p for p in listed(cluster, "pods") if p["metadata"]["namespace"] == "load"]
        given = weights(load)
        cluster.clock.advance(600.0)
        seen = hotel.traffic(cluster, 600.0)
        for kind, weight in given.items():
            expected = seen.requests * weight / sum(given.values())
            asked = seen.operations[kind].requests
            assert abs(asked - expected) < 5 * expected**0.5, (seed, kind, asked, expected)


def test_mixes_stay_within_what_is_plausible(factory: ComponentFactory, hotel: Application) -> None:
    assert isinstance(hotel, ManifestApplication)
    provider = factory.provider("embedded")
    found: dict[str, list[float]] = {name: [] for name in hotel.load_mix}
    for seed in range(200):
        load = provider.history(ClusterSpec(seed=seed)).load
        for name, (low, high) in hotel.load_mix.items():
            found[name].append((load.weight(name, low, high) - low) / (high - low))
    for name, places in found.items():
        assert 0.0 <= min(places) < 0.1, name
        assert 0.9 < max(places) <= 1.0, name
        assert sum(places) / len(places) == pytest.approx(0.5, abs=0.1)


def events(cluster: Cluster) -> list[datetime]:
    stamps = [event["lastTimestamp"] or event["eventTime"] for event in listed(cluster, "events")]
    return [datetime.fromisoformat(stamp) for stamp in stamps]


def value(cluster: Cluster, query: str) -> float:
    answer = cluster.observe("prometheus", "/api/v1/query", (("query", query),))
    (result,) = json.loads(answer.body)["data"]["result"]
    return float(result["value"][1])


def test_counters_count_what_has_been_asked_for_months(
    open_world: Callable[[int], Cluster],
) -> None:
    cluster = open_world(7)
    (load,) = [p for p in listed(cluster, "pods") if p["metadata"]["namespace"] == "load"]
    rate = int(re.findall(r"-R (\d+)", json.dumps(load["spec"]))[0])
    name = min(
        (p["metadata"]["creationTimestamp"], p["metadata"]["name"])
        for p in listed(cluster, "pods")
        if runs_since_it_was_made(p, "mongodb-")
    )[1]
    used = value(cluster, f'container_cpu_usage_seconds_total{{pod="{name}",container!=""}}')
    lately = value(
        cluster, f'rate(container_cpu_usage_seconds_total{{pod="{name}",container!=""}}[1h])'
    )
    assert rate > 20
    assert used == pytest.approx(lately * age_s(cluster, load), rel=0.2)


def test_the_log_of_a_month_is_rotated(open_world: Callable[[int], Cluster]) -> None:
    pods = listed(open_world(7), "pods")
    for prefix in ("consul-", "mongodb-"):
        made = [one["metadata"] for one in pods if runs_since_it_was_made(one, prefix)]
        pod = min(made, key=lambda metadata: metadata["creationTimestamp"])["name"]
        lines = said(open_world(7), f"logs -n {NAMESPACE} {pod}").splitlines()
        assert 5_000 < len(lines) <= 25_000
        tail = said(open_world(7), f"logs -n {NAMESPACE} {pod} --tail=7").splitlines()
        assert tail == lines[-7:]


def test_a_pool_gives_each_seed_its_origin_whichever_comes_first(
    factory: ComponentFactory, hotel: Application
) -> None:
    def names(seeds: tuple[int, ...]) -> dict[int, str]:
        worlds = factory.worlds("embedded", {"origins": "2"}, "a salt")
        found = {}
        for seed in seeds:
            cluster = worlds.make(hotel, 60.0, seed, served=False).cluster
            found[seed] = said(cluster, "get pods -A -o wide")
            cluster.close()
        return found

    forwards, backwards = names((1, 2, 3)), names((3, 2, 1))
    assert forwards == backwards
    # What people change in a world day by day follows from the episode's own seed.
    assert forwards[1] != forwards[3]
    nodes = {
        seed: set(re.findall(r"\S+(?= +<none> +<none>)", text)) for seed, text in forwards.items()
    }
    assert nodes[1] == nodes[3] != nodes[2]


def test_a_cluster_alone_has_the_nodes_of_its_seed(factory: ComponentFactory) -> None:
    clusters = [
        factory.provider("embedded").provision(ClusterSpec(seed=seed)) for seed in (1, 1, 2)
    ]
    first, again, other = (said(cluster, "get nodes -o name") for cluster in clusters)
    assert first == again != other
    for cluster in clusters:
        cluster.close()


def test_addresses_of_nodes_are_those_of_the_seed_and_agree_with_names(
    factory: ComponentFactory,
) -> None:
    """Nodes share a private network that is apart from those of pods and Services."""
    networks, named = set(), 0
    for seed in range(40):
        cluster = factory.provider("embedded").provision(ClusterSpec(seed=seed))
        nodes = listed(cluster, "nodes")
        addresses = {
            node["metadata"]["name"]: entry["address"]
            for node in nodes
            for entry in node["status"]["addresses"]
            if entry["type"] == "InternalIP"
        }
        own = {ip_network(f"{address}/16", strict=False) for address in addresses.values()}
        (network,) = own
        assert len(set(addresses.values())) == len(nodes)
        assert network.is_private
        assert not network.overlaps(ip_network("10.96.0.0/12"))
        assert not network.overlaps(ip_network("10.244.0.0/14"))
        ranges = [ip_network(node["spec"]["podCIDR"]) for node in nodes]
        assert len(set(ranges)) == len(nodes)
        for name, address in addresses.items():
            if name.startswith("ip-"):
                assert name == f"ip-{address.replace('.', '-')}"
                named += 1
        (slice_,) = [
            s for s in listed(cluster, "endpointslices") if s["metadata"]["name"] == "kubernetes"
        ]
        assert slice_["endpoints"][0]["addresses"] == [addresses[nodes_by_age(nodes)[0]]]
        networks.add(network)
        cluster.close()
    assert len(networks) > 30
    assert named > 9


def nodes_by_age(nodes: list[Any]) -> list[str]:
    """Names in the order in which the nodes joined: their ranges of pods follow it."""
    return [
        node["metadata"]["name"]
        for node in sorted(nodes, key=lambda node: ip_network(node["spec"]["podCIDR"]))
    ]


def test_a_node_knows_its_network(factory: ComponentFactory) -> None:
    """What is read on the machine agrees with what the API says of it."""
    cluster = factory.provider("embedded").provision(ClusterSpec(seed=3))
    for node in listed(cluster, "nodes"):
        name = node["metadata"]["name"]
        (address,) = [
            e["address"] for e in node["status"]["addresses"] if e["type"] == "InternalIP"
        ]
        net = ".".join(address.split(".")[:2])
        routes = cluster.nodes.run(name, ("ip", "route")).stdout
        assert f"default via {net}.0.1 dev eth0" in routes
        assert f"{net}.0.0/16 dev eth0 proto kernel scope link src {address}" in routes
        assert f"{net}.0.1" in cluster.nodes.run(name, ("cat", "/etc/network/interfaces")).stdout
        assert f"{address}\t{name}" in cluster.nodes.run(name, ("cat", "/etc/hosts")).stdout
    cluster.close()
