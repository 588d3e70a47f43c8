"""Checks of objects and workloads, each on a healthy and on a broken memory cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.model import ObjectRef, Outcome
from sregym_testing import MemoryCluster, Program, ShopWithTraffic

from sregym_oracles import (
    Snapshot,
    declared_objects,
    objects_present,
    probes_unchanged,
    restarts,
    workloads_ready,
)

if TYPE_CHECKING:
    from collections.abc import Callable

FRONT = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="front")
SETTINGS = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="settings")


def world() -> tuple[MemoryCluster, dict[str, Any]]:
    cluster, application = MemoryCluster(ShopWithTraffic.programs()), ShopWithTraffic()
    application.deploy(cluster)
    cluster.clock.advance(30)
    assert application.ready(cluster) == []
    return cluster, {
        str(ObjectRef.of(o)): cluster.get(ObjectRef.of(o)) for o in application.manifests()
    }


def edit(cluster: MemoryCluster, change: Callable[[Any], None]) -> None:
    found = cluster.get(FRONT)
    assert found is not None
    change(found["spec"]["template"]["spec"]["containers"][0])
    cluster.replace(found)
    cluster.clock.advance(1)  # controllers act while time passes


def test_everything_passes_on_a_healthy_cluster() -> None:
    cluster, objects = world()
    checks = [
        f(Snapshot(cluster), objects) for f in (objects_present, workloads_ready, probes_unchanged)
    ]
    assert [(c.name, c.outcome, c.got) for c in checks] == [
        ("workloads-present", Outcome.PASS, "all 9"),
        ("workloads-ready", Outcome.PASS, "all 4"),
        ("probes-kept", Outcome.PASS, "all of it"),
    ]


def test_owned_and_derived_objects_are_not_asked_for() -> None:
    objects: dict[str, Any] = {
        "Pod shop/front-x": {
            "kind": "Pod",
            "metadata": {"name": "front-x", "ownerReferences": [{"name": "front"}]},
        },
        "Endpoints shop/front": {"kind": "Endpoints", "metadata": {"name": "front"}},
        "Pod shop/alone": {"kind": "Pod", "metadata": {"name": "alone"}},
    }
    assert declared_objects(objects) == [objects["Pod shop/alone"]]


@pytest.mark.parametrize(
    ("act", "got"),
    [
        (lambda c: c.delete(FRONT), "Deployment shop/front does not exist"),
        (lambda c: c.delete(SETTINGS), "ConfigMap shop/settings does not exist"),
        (
            lambda c: c.patch(FRONT, {"spec": {"replicas": 0}}, "merge"),
            "Deployment shop/front wants 0 replicas, not 1",
        ),
        (
            lambda c: c.patch(FRONT, {"metadata": {"deletionTimestamp": "now"}}, "merge"),
            "Deployment shop/front is being deleted",
        ),
    ],
)
def test_objects_present_fails(act: Callable[[MemoryCluster], None], got: str) -> None:
    cluster, objects = world()
    act(cluster)
    check = objects_present(Snapshot(cluster), objects)
    assert (check.outcome, check.got) == (Outcome.FAIL, got)


@pytest.mark.parametrize(
    ("change", "got"),
    [
        (
            lambda c: c.update(image="shop/front:9"),
            "Deployment shop/front has container front of pod front-2-0 in ImagePullBackOff",
        ),
        (
            lambda c: c.update(resources={"limits": {"memory": "8Mi"}}),
            "Deployment shop/front has container front of pod front-2-0 in CrashLoopBackOff",
        ),
        (
            lambda c: c.update(env=[{"name": "A", "value": "b"}]),
            "Deployment shop/front has readyReplicas 0 of 1",
        ),
    ],
)
def test_workloads_ready_fails(change: Callable[[Any], None], got: str) -> None:
    cluster, objects = world()
    edit(cluster, change)
    check = workloads_ready(Snapshot(cluster), objects)
    assert (check.outcome, check.got) == (Outcome.FAIL, got)


@pytest.mark.parametrize(
    ("kind", "generation", "status", "got"),
    [
        ("Deployment", 2, {"observedGeneration": 1}, "is at generation 2 but its controller has only seen 1"),
        ("StatefulSet", 1, {"observedGeneration": 1, "updatedReplicas": 1, "readyReplicas": 2}, "has updatedReplicas 1 of 2"),
        ("Deployment", 1, {"observedGeneration": 1, "updatedReplicas": 2, "readyReplicas": 2, "replicas": 3}, "still has 1 replicas of an earlier template"),
        ("DaemonSet", 1, {"observedGeneration": 1, "desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberReady": 2}, "has numberReady 2 of 3"),
        ("DaemonSet", 1, {"observedGeneration": 1, "desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberReady": 3}, None),
        ("Deployment", 1, {"observedGeneration": 1, "updatedReplicas": 2, "readyReplicas": 2, "replicas": 2}, None),
    ],
)  # fmt: skip
def test_a_roll_out_is_read_from_status(
    kind: str, generation: int, status: dict[str, int], got: str | None
) -> None:
    workload = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "x", "namespace": "shop", "generation": generation},
        "spec": {"replicas": 2, "selector": {}},
        "status": status,
    }

    class Shows(MemoryCluster):
        def list(self, *_: str) -> Any:
            return [workload]

    check = workloads_ready(Snapshot(Shows({})), {f"{kind} shop/x": workload})
    expected = "all 1" if got is None else f"{kind} shop/x {got}"
    assert check.got == expected


@pytest.mark.parametrize(
    ("change", "got"),
    [
        (
            lambda c: c.pop("readinessProbe"),
            "container front of Deployment shop/front has no readinessProbe",
        ),
        (
            lambda c: c.update(readinessProbe={"exec": {"command": ["true"]}}),
            "container front of Deployment shop/front has another readinessProbe: exec true, not tcpSocket",
        ),
        (
            lambda c: c.pop("resources"),
            "container front of Deployment shop/front requests no cpu",
        ),
        (
            lambda c: c.update(name="other"),
            "container front of Deployment shop/front does not exist",
        ),
        (lambda c: c.update(readinessProbe={"tcpSocket": {"port": 1}, "periodSeconds": 9}), None),
        (
            lambda c: c.update(resources={"requests": {"cpu": "0m"}}),
            "container front of Deployment shop/front requests no cpu",
        ),
        (
            lambda c: c.update(
                readinessProbe={"tcpSocket": {"port": 1}, "failureThreshold": 10_000}
            ),
            "container front of Deployment shop/front has a readinessProbe without effect for 100000 s",
        ),
        (
            lambda c: c.update(readinessProbe={"tcpSocket": {"port": 1}, "failureThreshold": 360}),
            None,
        ),
        (lambda c: c.update(resources={"requests": {"cpu": "0.001"}}), None),
        (lambda c: c.update(resources={"requests": {"cpu": "2"}}), None),
    ],
)
def test_probes_kept(change: Callable[[Any], None], got: str | None) -> None:
    cluster, objects = world()
    edit(cluster, change)
    assert probes_unchanged(Snapshot(cluster), objects).got == (got or "all of it")


def test_restarts_are_counted_by_container() -> None:
    programs = {**ShopWithTraffic.programs(), "shop/front:1.0": Program(port=8080, memory_mib=999)}
    cluster = MemoryCluster(programs)
    application = ShopWithTraffic()
    application.deploy(cluster)
    objects = {str(ObjectRef.of(o)): o for o in application.manifests()}
    cluster.clock.advance(35)
    assert restarts(Snapshot(cluster), objects) == {
        "shop/catalogue-1-0/catalogue": 0,
        "shop/front-1-0/front": 3,
        "shop/orders-1-0/orders": 0,
        "shop/visitors-1-0/visitors": 0,
    }


@pytest.mark.parametrize(
    ("pod", "got"),
    [
        ({"status": {"phase": "Pending"}}, None),
        ({"status": {"containerStatuses": [{"name": "c", "state": {"running": {}}}]}}, None),
        (
            {"status": {"containerStatuses": [{"name": "c", "state": {"terminated": {}}}]}},
            "has container c of pod x-1 in terminated",
        ),
        (
            {
                "status": {
                    "containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "W"}}}]
                }
            },
            "has container c of pod x-1 in W",
        ),
        (
            {
                "metadata": {"name": "x-1", "namespace": "shop", "deletionTimestamp": "now"},
                "status": {"containerStatuses": [{"name": "c", "state": {"terminated": {}}}]},
            },
            None,
        ),
    ],
)
def test_containers_are_looked_at_one_by_one(pod: dict[str, Any], got: str | None) -> None:
    workload = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "x", "namespace": "shop"},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "x"}}},
    }
    existing = {"metadata": {"name": "x-1", "namespace": "shop"}, **pod}
    existing["metadata"]["labels"] = {"app": "x"}

    class Shows(MemoryCluster):
        def list(self, api_version: str, kind: str, *_: str) -> Any:
            return [existing if kind == "Pod" else workload]

    check = workloads_ready(Snapshot(Shows({})), {"Deployment shop/x": workload})
    assert check.got == ("all 1" if got is None else f"Deployment shop/x {got}")
