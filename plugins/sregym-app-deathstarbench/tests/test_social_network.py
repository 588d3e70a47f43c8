"""Breakages of Social Network by hand on the embedded cluster."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_core.interfaces import Checkpoint, Cluster, ClusterProvider, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMESPACE = "social-network"
HOME, USER, COMPOSE = "home-timeline", "user-timeline", "compose-post"


@pytest.fixture(scope="module")
def network() -> SocialNetwork:
    return SocialNetwork()


@pytest.fixture(scope="module")
def warm(network: SocialNetwork) -> Iterator[tuple[Checkpoint, ClusterSpec]]:
    provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    spec = ClusterSpec(seed=7, applications=(network,))
    cluster = provider.provision(spec)
    network.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not network.ready(cluster), 300.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint, spec
    cluster.close()


def ref(kind: str, name: str) -> ObjectRef:
    version = "apps/v1" if kind == "Deployment" else "v1"
    return ObjectRef(api_version=version, kind=kind, namespace=NAMESPACE, name=name)


def scale(cluster: Cluster, name: str, replicas: int) -> None:
    cluster.patch(ref("Deployment", name), {"spec": {"replicas": replicas}}, "merge")


def last_lines(cluster: Cluster, name: str) -> str:
    (pod,) = cluster.list("v1", "Pod", NAMESPACE, f"app={name}")
    return cluster.logs(NAMESPACE, pod["metadata"]["name"])


def shares(network: SocialNetwork, cluster: Cluster) -> dict[str, float]:
    traffic = network.traffic(cluster, 30.0)
    return {name: round(found.ok / found.requests, 1) for name, found in traffic.operations.items()}


@pytest.mark.parametrize(
    ("stopped", "failing", "speaker", "line"),
    [
        (
            "post-storage-memcached",
            {HOME, USER},
            "post-storage-service",
            r"<error>: \(PostStorageHandler\.h:420:ReadPosts\) Cannot get post_ids of request \d+: CONNECTION FAILURE",
        ),
        (
            "home-timeline-redis",
            {HOME, COMPOSE},
            "home-timeline-service",
            r"\(HomeTimelineHandler\.h:\d+:\w+\) Failed to connect to Redis: ",
        ),
        (
            "text-service",
            {COMPOSE},
            "compose-post-service",
            r"\(ComposePostHandler\.h:230:_ComposeTextHelper\) Failed to send text to text-service",
        ),
        ("unique-id-service", {COMPOSE}, "nginx-thrift", r"\[lua\] wrk2-api/post/compose\.lua:77: "),
        ("media-service", {COMPOSE}, "nginx-thrift", r'"POST /wrk2-api/post/compose HTTP/1.1" 500 62'),
        ("media-mongodb", set(), "nginx-thrift", " 200 "),
    ],
)  # fmt: skip
def test_what_users_see_when_a_part_is_away(
    network: SocialNetwork,
    warm: tuple[Checkpoint, ClusterSpec],
    stopped: str,
    failing: set[str],
    speaker: str,
    line: str,
) -> None:
    checkpoint, spec = warm
    cluster = checkpoint.fork(spec)
    try:
        scale(cluster, stopped, 0)
        cluster.clock.wait_until(lambda: False, 60.0)

        found: dict[str, float] = shares(network, cluster)
        assert {name for name, share in found.items() if share < 0.5} == failing
        assert re.search(line, last_lines(cluster, speaker))

        scale(cluster, stopped, 1)
        healthy = cluster.clock.wait_until(
            lambda: set(shares(network, cluster).values()) == {1.0}, 180.0
        )
        assert healthy
    finally:
        cluster.close()


def test_a_service_whose_entry_is_lost_ends_when_it_starts(
    network: SocialNetwork, warm: tuple[Checkpoint, ClusterSpec]
) -> None:
    checkpoint, spec = warm
    cluster = checkpoint.fork(spec)
    try:
        config: Any = cluster.get(ref("ConfigMap", "text-service"))
        entries = json.loads(config["data"]["service-config.json"])
        del entries["url-shorten-service"]
        text = {"data": {"service-config.json": json.dumps(entries)}}
        cluster.patch(ref("ConfigMap", "text-service"), text, "merge")
        scale(cluster, "text-service", 0)
        cluster.clock.wait_until(lambda: False, 40.0)
        scale(cluster, "text-service", 1)
        cluster.clock.wait_until(lambda: False, 60.0)

        (pod,) = cluster.list("v1", "Pod", NAMESPACE, "app=text-service")
        ended = pod["status"]["containerStatuses"][0]["lastState"]["terminated"]
        assert ended["exitCode"] == 134
        assert "type must be number, but is null" in last_lines(cluster, "text-service")
    finally:
        cluster.close()
