"""Blueprint Hotel Reservation on the embedded cluster: healthy, overrun, and with hardly any heap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.interfaces import Checkpoint, Cluster, ClusterProvider, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_app_blueprint.application import BlueprintHotels

NAMESPACE = "blueprint-hotel-reservation"
RPC = ObjectRef(api_version="v1", kind="ConfigMap", namespace=NAMESPACE, name="rpc")


def deployment(name: str, namespace: str = NAMESPACE) -> ObjectRef:
    return ObjectRef(api_version="apps/v1", kind="Deployment", namespace=namespace, name=name)


@pytest.fixture(scope="module")
def warm(hotels: BlueprintHotels) -> Iterator[tuple[Checkpoint, ClusterSpec]]:
    provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    spec = ClusterSpec(seed=7, applications=(hotels,))
    cluster = provider.provision(spec)
    hotels.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not hotels.ready(cluster), 300.0, 5.0)
    cluster.clock.advance(60.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint, spec
    cluster.close()


@pytest.fixture
def cluster(warm: tuple[Checkpoint, ClusterSpec]) -> Iterator[Cluster]:
    checkpoint, spec = warm
    fork = checkpoint.fork(spec)
    yield fork
    fork.close()


def served(hotels: BlueprintHotels, cluster: Cluster, operation: str = "search") -> float:
    """Which part of the requests of the last half minute ended well."""
    seen = hotels.traffic(cluster, 30.0).operations[operation]
    return seen.ok / seen.requests


def environment(container: str, **values: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in values.items()]
    return {"spec": {"template": {"spec": {"containers": [{"name": container, "env": env}]}}}}


def call(cluster: Cluster, timeout: str, attempts: str, breaker: str = "0") -> None:
    """Let services call each other so from now on."""
    data = {"GRPC_CLIENT_TIMEOUT": timeout, "GRPC_CLIENT_RETRIES_ON_ERROR": attempts}
    data["GRPC_CLIENT_BREAKER_FAILURE_RATE"] = breaker
    cluster.patch(RPC, {"data": data}, "merge")
    for name in ("frontend-service", "search-service"):
        changed = environment(f"{name}-container", CHANGED=timeout)
        cluster.patch(deployment(name), changed, "strategic")


def test_users_are_served(hotels: BlueprintHotels, cluster: Cluster) -> None:
    cluster.clock.advance(60.0)
    traffic = hotels.traffic(cluster, 60.0)

    assert {name: seen.ok >= seen.requests * 0.999 for name, seen in traffic.operations.items()} == dict.fromkeys(("search", "recommend", "user", "reserve"), True)  # fmt: skip
    assert traffic.requests / traffic.seconds == pytest.approx(3000, rel=0.02)


@pytest.mark.parametrize(("timeout", "attempts", "lasting"), [("50ms", "30", True), ("1s", "1", False)])  # fmt: skip
def test_a_peak_is_over_but_what_it_began_goes_on_where_calls_are_made_again(
    hotels: BlueprintHotels, cluster: Cluster, timeout: str, attempts: str, lasting: bool
) -> None:
    call(cluster, timeout, attempts)
    cluster.patch(deployment("wlgen", "wlgen"), environment("wrk2", MULTIPLIER="6"), "strategic")
    cluster.clock.advance(60.0)
    assert served(hotels, cluster) > 0.99  # the stable phase
    cluster.clock.advance(40.0)
    assert served(hotels, cluster) < 0.5  # six times as many
    cluster.clock.advance(180.0)
    traffic = hotels.traffic(cluster, 30.0)
    assert traffic.requests / traffic.seconds == pytest.approx(3000, rel=0.03)  # as before
    if not lasting:
        assert served(hotels, cluster) > 0.99
        return
    assert served(hotels, cluster) < 0.05
    call(cluster, "1s", "1")
    cluster.clock.advance(120.0)
    assert served(hotels, cluster) > 0.99


def test_circuit_breakers_end_what_retries_would_keep_up(
    hotels: BlueprintHotels, cluster: Cluster
) -> None:
    call(cluster, "50ms", "30", breaker="0.1")
    cluster.patch(deployment("wlgen", "wlgen"), environment("wrk2", MULTIPLIER="6"), "strategic")
    cluster.clock.advance(100.0)
    assert served(hotels, cluster) < 0.5  # six times as many
    cluster.clock.advance(180.0)
    traffic = hotels.traffic(cluster, 30.0)
    assert traffic.requests / traffic.seconds == pytest.approx(3000, rel=0.03)  # as before
    assert served(hotels, cluster) > 0.99


def test_services_that_collect_all_the_time_have_no_time_for_requests(
    hotels: BlueprintHotels, cluster: Cluster
) -> None:
    changed = environment("frontend-service-container", GOGC="1")
    cluster.patch(deployment("frontend-service"), changed, "strategic")
    cluster.clock.advance(120.0)

    assert served(hotels, cluster) < 0.8
