"""Breakages by hand on the embedded cluster: what users see, what is logged, and that repair heals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_core.interfaces import Checkpoint, Cluster, ClusterProvider, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

NAMESPACE = "hotel-reservation"
ALL = {"hotels", "recommendations", "user", "reservation"}
SEED = 7

Act: TypeAlias = Callable[[Cluster], Any]


def ref(kind: str, name: str) -> ObjectRef:
    version = "apps/v1" if kind == "Deployment" else "v1"
    return ObjectRef(api_version=version, kind=kind, namespace=NAMESPACE, name=name)


def patch(kind: str, name: str, change: Any, how: str = "merge") -> Act:
    return lambda cluster: cluster.patch(ref(kind, name), change, how)


def delete(kind: str, name: str) -> Act:
    return lambda cluster: cluster.delete(ref(kind, name))


def create(kind: str, name: str) -> Act:
    """Create the object as it stands in the manifests."""
    wanted = next(
        obj
        for obj in HotelReservation().manifests()
        if (obj["kind"], obj["metadata"]["name"]) == (kind, name)
    )
    return lambda cluster: cluster.create(wanted)


def container(name: str, **fields: Any) -> Act:
    """Change fields of the only container of a Deployment."""
    part = HotelReservation().component(name)
    assert part is not None
    spec = {"containers": [{"name": part.container, **fields}]}
    return patch("Deployment", name, {"spec": {"template": {"spec": spec}}}, "strategic")


def restart(name: str) -> Act:
    """Scale to zero, wait until the pods are gone, scale back."""

    def act(cluster: Cluster) -> None:
        cluster.patch(ref("Deployment", name), {"spec": {"replicas": 0}}, "merge")
        assert cluster.clock.wait_until(lambda: not pods(cluster, name), 120.0)
        cluster.patch(ref("Deployment", name), {"spec": {"replicas": 1}}, "merge")

    return act


def mongo(name: str, statement: str) -> Act:
    """Run a statement in the mongo shell as root."""

    def act(cluster: Cluster) -> None:
        pod = pods(cluster, f"mongodb-{name}")[0]["metadata"]["name"]
        login = ["-u", "root", "-p", "root", "--authenticationDatabase", "admin"]
        done = cluster.exec(
            NAMESPACE, pod, ["mongo", "admin", "--quiet", *login, "--eval", statement]
        )
        assert (done.exit_code, done.stderr) == (0, ""), done

    return act


def pods(cluster: Cluster, name: str) -> list[dict[str, Any]]:
    return cluster.list("v1", "Pod", NAMESPACE, f"io.kompose.service={name}")


@dataclass(frozen=True)
class Case:
    """A breakage.

    Attributes:
        break_: What is done to break it, in order.
        heal: What is done to repair it, in order.
        failing: Operations whose success drops below one half.
        speaker: Deployment whose pod tells of it.
        line: What stands in its log, of this or the previous life; empty when it has no log.
        waiting: Reasons of which one keeps its container from running; empty when it runs at times.
    """

    break_: tuple[Act, ...]
    heal: tuple[Act, ...]
    failing: frozenset[str]
    speaker: str
    line: str = ""
    waiting: frozenset[str] = frozenset()


def config_of_geo(*, complete: bool) -> Act:
    address = ',"GeoMongoAddress":"mongodb-geo:27017"' if complete else ""
    text = (
        f'{{"consulAddress":"consul:8500","jaegerAddress":"jaeger:6831","GeoPort":"8083"{address}}}'
    )
    return patch("ConfigMap", "geo-config", {"data": {"config.json": text}})


HOTELS = frozenset({"hotels"})
CASES = {
    "selector": Case(
        (patch("Service", "frontend", {"spec": {"selector": {"release": "blue"}}}),),
        (patch("Service", "frontend", {"spec": {"selector": {"release": None}}}),),
        frozenset(ALL),
        "frontend",
        "INF services/frontend/server.go:92 > Serving http",
    ),
    "missing service": Case(
        (delete("Service", "mongodb-rate"), restart("rate")),
        (create("Service", "mongodb-rate"), restart("rate")),
        HOTELS,
        "rate",
        "PNC cmd/rate/db.go:38 > no reachable servers",
    ),
    "lost key": Case(
        (config_of_geo(complete=False), restart("geo")),
        (config_of_geo(complete=True), restart("geo")),
        HOTELS,
        "geo",
        "PNC cmd/geo/db.go:26 > no reachable servers",
    ),
    "missing config map": Case(
        (delete("ConfigMap", "mongo-geo-script"), restart("mongodb-geo"), restart("geo")),
        (create("ConfigMap", "mongo-geo-script"), restart("geo")),
        HOTELS,
        "mongodb-geo",
        waiting=frozenset({"ContainerCreating"}),
    ),
    "memory limit": Case(
        (
            container(
                "mongodb-rate",
                resources={"limits": {"memory": "10Mi"}, "requests": {"memory": "10Mi"}},
            ),
        ),
        (
            container(
                "mongodb-rate",
                resources={"limits": {"memory": "512Mi"}, "requests": {"memory": "128Mi"}},
            ),
        ),
        HOTELS,
        "rate",
        "PNC cmd/rate/db.go:38 > no reachable servers",
    ),
    "revoked role": Case(
        (
            mongo("geo", 'db.revokeRolesFromUser("admin", [{role: "readWrite", db: "geo-db"}])'),
            restart("geo"),
        ),
        (
            mongo("geo", 'db.grantRolesToUser("admin", [{role: "readWrite", db: "geo-db"}])'),
            restart("geo"),
        ),
        HOTELS,
        "geo",
        "FTL cmd/geo/db.go:35 > not authorized on geo-db to execute command",
    ),
    "dropped user": Case(
        (mongo("rate", 'db.dropUser("admin")'), restart("rate")),
        (
            mongo(
                "rate",
                'db.createUser({user: "admin", pwd: "admin", roles: [{role: "readWrite", db: "rate-db"}]})',
            ),
            restart("rate"),
        ),
        HOTELS,
        "rate",
        "PNC cmd/rate/db.go:38 > server returned error on SASL authentication step: Authentication failed.",
    ),
    "target port": Case(
        (
            patch(
                "Service",
                "memcached-profile",
                [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": 11212}],
                "json",
            ),
            restart("profile"),
        ),
        (
            patch(
                "Service",
                "memcached-profile",
                [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": 11211}],
                "json",
            ),
            restart("profile"),
        ),
        frozenset({"hotels", "recommendations"}),
        "profile",
        "PNC services/profile/server.go:141 > Tried to get hotelIds [[9]], but got memmcached error = dial tcp",
    ),
    "image": Case(
        (container("search", image="yinfangchen/hotelreservation:latset"), restart("search")),
        (container("search", image="yinfangchen/hotelreservation:latest"),),
        HOTELS,
        "search",
        waiting=frozenset({"ErrImagePull", "ImagePullBackOff"}),
    ),
    "another build": Case(
        (container("geo", image="jackcuii/hotel-reservation:latest"), restart("geo")),
        (container("geo", image="yinfangchen/hotelreservation:latest"),),
        HOTELS,
        "geo",
        waiting=frozenset({"RunContainerError", "CrashLoopBackOff"}),
    ),
    "scaled to zero": Case(
        (patch("Deployment", "recommendation", {"spec": {"replicas": 0}}),),
        (patch("Deployment", "recommendation", {"spec": {"replicas": 1}}),),
        frozenset({"recommendations"}),
        "frontend",
        "INF services/frontend/server.go:92 > Serving http",
    ),
}


@pytest.fixture(scope="module")
def provider() -> ClusterProvider:
    found: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    return found


@pytest.fixture(scope="module")
def warm(provider: ClusterProvider, hotel: HotelReservation) -> Iterator[Checkpoint]:
    cluster = provider.provision(ClusterSpec(seed=SEED, applications=(hotel,)))
    hotel.deploy(cluster)
    assert cluster.clock.wait_until(lambda: hotel.ready(cluster) == [], 300.0), hotel.ready(cluster)
    cluster.clock.advance(60.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


@pytest.fixture
def cluster(warm: Checkpoint, hotel: HotelReservation) -> Iterator[Cluster]:
    fork = warm.fork(ClusterSpec(seed=SEED, applications=(hotel,)))
    yield fork
    fork.close()


def rates(hotel: HotelReservation, cluster: Cluster) -> dict[str, float]:
    """Success rate per operation over the last minute."""
    seen = hotel.traffic(cluster, 60.0).operations
    return {name: traffic.success_rate for name, traffic in seen.items()}


def nearly_all(seen: Mapping[str, float]) -> bool:
    """Whether every operation is asked for, and hardly any request of it fails."""
    return set(seen) == set(ALL) and min(seen.values()) >= 0.995


def test_a_healthy_site_has_a_few_errors_that_somebody_logged(
    hotel: HotelReservation, cluster: Cluster
) -> None:
    cluster.clock.advance(900.0)
    traffic = hotel.traffic(cluster, 900.0)

    failed = traffic.requests - sum(seen.ok for seen in traffic.operations.values())
    assert 5 <= failed <= 0.001 * traffic.requests
    # Who called without success says so.
    (pod,) = pods(cluster, "frontend")
    log = cluster.logs(NAMESPACE, pod["metadata"]["name"])
    assert " ERR services/frontend/server.go:" in log


def test_a_healthy_site_serves_everybody_quickly(hotel: HotelReservation, cluster: Cluster) -> None:
    cluster.clock.advance(60.0)
    traffic = hotel.traffic(cluster, 60.0)

    assert nearly_all(rates(hotel, cluster))
    assert traffic.requests / traffic.seconds == pytest.approx(100.0, rel=0.05)
    assert traffic.p50_ms is not None
    assert 4.0 < traffic.p50_ms < 15.0


@pytest.mark.parametrize("name", CASES)
def test_symptoms(name: str, hotel: HotelReservation, cluster: Cluster) -> None:
    case = CASES[name]
    for act in case.break_:
        act(cluster)
    cluster.clock.advance(150.0)

    broken = rates(hotel, cluster)
    assert {op for op, rate in broken.items() if rate < 0.5} == case.failing
    (pod,) = pods(cluster, case.speaker)
    if case.line:
        assert case.line in _logs(cluster, pod["metadata"]["name"])
    if case.waiting:
        (status,) = pod["status"]["containerStatuses"]
        assert status["state"]["waiting"]["reason"] in case.waiting

    for act in case.heal:
        act(cluster)
    assert cluster.clock.wait_until(lambda: hotel.ready(cluster) == [], 420.0), hotel.ready(cluster)
    cluster.clock.advance(90.0)
    assert nearly_all(rates(hotel, cluster))


def _logs(cluster: Cluster, pod: str) -> str:
    now = cluster.logs(NAMESPACE, pod)
    status = cluster.get(ref("Pod", pod))
    assert status is not None
    restarts = status["status"]["containerStatuses"][0]["restartCount"]
    return now + (cluster.logs(NAMESPACE, pod, previous=True) if restarts else "")
