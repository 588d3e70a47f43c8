"""`kubectl top`, in process and by the binary, over the resource metrics API."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl import DirectAccess, NotCovered, run
from sregym_cluster_embedded.kubectl.fallback import run_binary
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World

PODS = """
metadata: {name: web, namespace: default, labels: {app: web}}
spec:
  containers:
  - {name: web, image: "registry.example/shop/web:1.0"}
  - {name: worker, image: "registry.example/shop/worker:1.0"}
"""
BOTH = [
    "top node",
    "top nodes --no-headers",
    "top node node2",
    "top node --sort-by=memory",
    "top pod -n kube-system",
    "top pod -A",
    "top pod web",
    "top pods -A --sort-by=cpu",
    "top pod --containers",
    "top pod -A --containers --sort-by=memory",
    "top pod -l app=web",
    "top pod none",
    "top node none",
    "top pod web none",
    "top pod web -l app=web",
    "top pod web --field-selector=a=b",
    "top node node1 node2",
    "top node node1 -l a=b",
]
LEFT = [
    ("top pod --sum", "top pod --sum or --field-selector"),
    ("top pod --field-selector=metadata.name=web", "top pod --sum or --field-selector"),
    ("top node --show-capacity", "top node --show-capacity"),
    ("top pod -n shop", "top pod without metrics"),
    ("top node -l a=b", "top node without metrics"),
]


@pytest.fixture(scope="module")
def measured(recorded_images: Any) -> World:
    """A cluster with a metrics server that has measured a pod of two containers."""
    world = build(
        Blueprint(models=recorded_images, metrics_server=True, epoch=int(time.time()) - 300)
    )
    internal_client.create(world, "pods", yaml.safe_load(PODS))
    world.run_until(240)
    return world


@pytest.fixture
def endpoint(measured: World, tmp_path: Any) -> Iterator[Any]:
    live = LiveWorld(measured.fork(), Stepped(request_cost_s=0.0, waiting_ratio=100.0))
    server = ApiEndpoint(live)
    server.start()
    yield write_kubeconfig(tmp_path / "kubeconfig", server.url)
    server.close()


def test_the_twin_prints_what_the_binary_prints(measured: World, endpoint: Any) -> None:
    for command in BOTH:
        twin = run(DirectAccess(measured.fork()), command.split())
        assert twin == run_binary(endpoint, command.split(), timeout_s=60), command


@pytest.mark.parametrize(("line", "reason"), LEFT)
def test_it_is_left_to_the_binary(measured: World, line: str, reason: str) -> None:
    with pytest.raises(NotCovered) as caught:
        run(DirectAccess(measured.fork()), line.split())
    assert str(caught.value) == reason


def test_without_a_metrics_api_there_is_nothing_to_show() -> None:
    world = build(Blueprint())
    result = run(DirectAccess(world), ["top", "pod"])
    assert (result.exit_code, result.stderr) == (1, "error: Metrics API not available\n")


def test_without_its_pods_the_api_is_down(measured: World) -> None:
    world = measured.fork()
    place = Key("deployments.apps", "kube-system", "metrics-server")
    deployment = world.store.get(place)
    assert deployment is not None
    spec = {**deployment["spec"], "replicas": 0}
    internal_client.update(world, place.resource, {**deployment, "spec": spec})
    world.run_until(world.now + 40)
    (service,) = [
        entry
        for entry in world.store.list("apiservices.apiregistration.k8s.io")
        if entry["metadata"]["name"] == "v1beta1.metrics.k8s.io"
    ]
    (condition,) = service["status"]["conditions"]
    assert (condition["status"], condition["reason"], condition["message"]) == (
        "False",
        "MissingEndpoints",
        'endpoints for service/metrics-server in "kube-system" have no addresses with port name '
        '"https"',
    )
    answer: Any = handle(world, Request("GET", "/apis/metrics.k8s.io/v1beta1/nodes"))
    assert (answer.status, answer.body) == (503, b"service unavailable\n")
    result = run(DirectAccess(world), ["top", "node"])
    assert (result.exit_code, result.stderr) == (1, "error: Metrics API not available\n")
    with pytest.raises(NotCovered) as caught:
        run(DirectAccess(world), ["get", "--raw", "/apis/metrics.k8s.io/v1beta1/nodes"])
    assert str(caught.value) == "a failure without a Status"
    internal_client.create(world, "namespaces", {"metadata": {"name": "going"}})
    internal_client.delete(world, Key("namespaces", "", "going"))
    world.run_until(world.now + 30)
    going = world.store.get(Key("namespaces", "", "going"))
    assert going is not None
    assert [
        (entry["reason"], entry["message"])
        for entry in going["status"]["conditions"]
        if entry["status"] == "True"
    ] == [
        (
            "DiscoveryFailed",
            "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of "
            "server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: "
            "metrics.k8s.io/v1beta1",
        )
    ]
    internal_client.delete(
        world, Key("apiservices.apiregistration.k8s.io", "", "v1beta1.metrics.k8s.io")
    )
    world.run_until(world.now + 90)
    assert world.store.get(Key("namespaces", "", "going")) is None
