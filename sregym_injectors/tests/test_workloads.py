from __future__ import annotations

import pytest
from sregym_core.errors import WorldError
from sregym_core.interfaces import CommandResult
from sregym_core.model import ObjectRef
from sregym_core.testing import FullShop, WatchedCluster
from sregym_injectors.workloads import (
    label_selector,
    pods_of,
    ready_pod,
    restart_rollout,
    rolled_out,
    run_in_workload,
    scaled_to_zero,
)

component = FullShop().component

CATALOG = component("catalog").workload
FRONT = component("front").workload


def names(pods):
    return [pod["metadata"]["name"] for pod in pods]


def test_selectors_of_all_operators():
    selector = {
        "matchLabels": {"app": "a"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["x", "y"]},
            {"key": "env", "operator": "NotIn", "values": ["z"]},
            {"key": "live", "operator": "Exists"},
            {"key": "dead", "operator": "DoesNotExist"},
        ],
    }
    assert label_selector(selector) == "app=a,tier in (x,y),env notin (z),live,!dead"


def test_pods_start_anew_with_what_was_changed_meanwhile(edits, cluster):
    change = {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}
    with scaled_to_zero(edits, (FRONT, CATALOG, FRONT)):
        assert pods_of(cluster, cluster.get(FRONT)) == []
        assert pods_of(cluster, cluster.get(CATALOG)) == []
        edits.patch(CATALOG, change, "merge")
    cluster.clock.advance(1.0)
    assert len(pods_of(cluster, cluster.get(FRONT))) == 2
    assert len(pods_of(cluster, cluster.get(CATALOG))) == 1
    assert cluster.get(FRONT)["spec"]["replicas"] == 2


def test_a_broken_template_takes_the_workload_down_only_this_way(edits, cluster):
    cluster.programs = {}  # no image can be pulled any more
    change = {"spec": {"template": {"metadata": {"labels": {"app": "catalog", "x": "broken"}}}}}
    edits.patch(CATALOG, change, "merge")
    cluster.clock.advance(60.0)
    assert ready_pod(cluster, CATALOG) is not None  # the rolling update keeps the old pod
    assert rolled_out(cluster.get(CATALOG)) is False
    with scaled_to_zero(edits, (CATALOG,)):
        pass
    cluster.clock.advance(60.0)
    assert ready_pod(cluster, CATALOG) is None


def test_a_workload_at_zero_stays_there(edits, cluster):
    cluster.patch(CATALOG, {"spec": {"replicas": 0}}, "merge")
    with scaled_to_zero(edits, (CATALOG,)):
        pass
    assert cluster.get(CATALOG)["spec"]["replicas"] == 0


def test_nothing_is_brought_up_when_the_block_raises(edits, cluster):
    with pytest.raises(KeyError), scaled_to_zero(edits, (CATALOG,)):
        raise KeyError
    assert cluster.get(CATALOG)["spec"]["replicas"] == 0


def test_pods_that_do_not_go(context, edits, cluster):
    stuck = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "stuck",
            "namespace": "shop",
            "labels": {"app": "catalog"},
            "ownerReferences": [{"kind": "Deployment", "name": "front"}],
        },
        "spec": {"containers": []},
        "status": {"phase": "Running"},
    }
    cluster.create(stuck)
    cluster.programs = {}  # front is never complete, so its foreign pod stays
    cluster.patch(FRONT, {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}, "merge")
    before = cluster.clock.now()
    with pytest.raises(WorldError) as caught, scaled_to_zero(edits, (CATALOG,)):
        pass
    assert str(caught.value) == (
        "Deployment shop/catalog was scaled to zero, but after 180 s these pods are still there: "
        "stuck; look for finalizers and for nodes that do not answer"
    )
    assert cluster.clock.now() - before == 180.0


def test_a_rollout_restart_says_when(edits, cluster):
    restart_rollout(edits, CATALOG)
    template = cluster.get(CATALOG)["spec"]["template"]
    assert template["metadata"] == {
        "labels": {"app": "catalog"},
        "annotations": {"kubectl.kubernetes.io/restartedAt": "2023-11-14T22:13:21Z"},
    }


def test_a_daemon_set_is_restarted_by_its_template(edits, cluster):
    ref = ObjectRef(api_version="apps/v1", kind="DaemonSet", namespace="shop", name="agent")
    spec = {key: value for key, value in cluster.get(CATALOG)["spec"].items() if key != "replicas"}
    metadata = {"name": "agent", "namespace": "shop"}
    cluster.create(
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}
    )
    with scaled_to_zero(edits, (ref,)):
        pass
    assert list(cluster.get(ref)["spec"]["template"]["metadata"]["annotations"]) == [
        "kubectl.kubernetes.io/restartedAt"
    ]
    assert "replicas" not in cluster.get(ref)["spec"]


@pytest.mark.parametrize(
    ("kind", "replicas", "status", "expected"),
    [
        ("Deployment", 1, {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1}, True),
        ("Deployment", 1, {"replicas": 2, "updatedReplicas": 1, "readyReplicas": 1}, False),
        ("Deployment", 2, {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 1}, False),
        ("Deployment", 0, {"replicas": 0, "updatedReplicas": 0, "readyReplicas": 0}, False),
        ("Deployment", 1, {"observedGeneration": 2, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1}, False),
        ("DaemonSet", 0, {"desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberReady": 2}, True),
        ("DaemonSet", 0, {"desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberReady": 1}, False),
    ],
)  # fmt: skip
def test_rolled_out(kind, replicas, status, expected):
    workload = {
        "kind": kind,
        "metadata": {"generation": 3},
        "spec": {"replicas": replicas},
        "status": {"observedGeneration": 3, **status},
    }
    assert rolled_out(workload) is expected


def test_commands_run_in_a_ready_pod(cluster):
    cluster.executor = lambda pod, argv, stdin: CommandResult(
        0, f"{pod['metadata']['labels']['app']} {' '.join(argv)} {stdin}"
    )
    assert run_in_workload(cluster, CATALOG, "catalog", ["cat", "-"], "text") == CommandResult(
        0, "catalog cat - text"
    )


def test_no_pod_is_ready(cluster):
    cluster.patch(CATALOG, {"spec": {"replicas": 0}}, "merge")
    cluster.clock.advance(1.0)
    with pytest.raises(WorldError) as caught:
        run_in_workload(WatchedCluster(cluster), CATALOG, "catalog", ["true"])
    assert str(caught.value) == (
        "Deployment shop/catalog has no ready pod in which a command could run; "
        "wait until it is ready"
    )
    cluster.delete(CATALOG)
    assert ready_pod(cluster, CATALOG) is None
