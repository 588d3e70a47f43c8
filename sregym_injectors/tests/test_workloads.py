from __future__ import annotations

import pytest
from sregym_core.errors import WorldError
from sregym_core.interfaces import CommandResult
from sregym_core.model import ObjectRef
from sregym_core.testing import FullShop, WatchedCluster
from sregym_injectors.edits import PAUSE_S
from sregym_injectors.workloads import (
    label_selector,
    ready_pod,
    restart_rollout,
    roll_out,
    rolled_out,
    run_in_workload,
    yields,
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


RELABELLED = {"spec": {"template": {"metadata": {"labels": {"app": "catalog", "x": "broken"}}}}}


def roomless(cluster, ref):
    """Let an update of a workload take its only pod before the new one is ready."""
    strategy = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    cluster.patch(ref, {"spec": {"strategy": strategy}}, "merge")


def test_a_broken_template_takes_all_pods_by_the_strategy_that_is_there(edits, cluster):
    roomless(cluster, CATALOG)
    cluster.programs = {}  # no image can be pulled any more
    roll_out(edits, CATALOG, RELABELLED)
    cluster.clock.advance(60.0)
    assert ready_pod(cluster, CATALOG) is None
    assert "type" not in cluster.get(CATALOG)["spec"]["strategy"]


def test_where_old_pods_would_stay_the_same_change_brings_another_strategy(edits, cluster):
    cluster.programs = {}
    edits.patch(CATALOG, RELABELLED, "merge")
    cluster.clock.advance(60.0)
    assert ready_pod(cluster, CATALOG) is not None  # the rolling update keeps the old pod
    roll_out(edits, CATALOG, RELABELLED)
    cluster.clock.advance(60.0)
    assert ready_pod(cluster, CATALOG) is None
    assert cluster.get(CATALOG)["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("Deployment", {}, False),
        ("Deployment", {"replicas": 0}, True),
        ("Deployment", {"strategy": {"type": "Recreate"}}, True),
        ("Deployment", {"strategy": {"rollingUpdate": {"maxUnavailable": 1}}}, True),
        ("Deployment", {"replicas": 2, "strategy": {"rollingUpdate": {"maxUnavailable": 1}}}, False),
        ("Deployment", {"strategy": {"rollingUpdate": {"maxUnavailable": "50%"}}}, False),
        ("Deployment", {"strategy": {"rollingUpdate": {"maxUnavailable": "100%"}}}, True),
        ("StatefulSet", {}, True),
        ("StatefulSet", {"replicas": 3}, False),
    ],
)  # fmt: skip
def test_whether_an_update_takes_all_old_pods(kind, spec, expected):
    assert yields({"kind": kind, "spec": spec}) is expected


def test_a_restart_is_a_rolling_update_that_says_when(edits, cluster):
    roomless(cluster, CATALOG)
    cluster.clock.advance(1.0)
    restart_rollout(edits, (CATALOG, CATALOG))
    workload = cluster.get(CATALOG)
    assert workload["spec"]["template"]["metadata"] == {
        "labels": {"app": "catalog"},
        "annotations": {"kubectl.kubernetes.io/restartedAt": "2023-11-14T22:13:22Z"},
    }
    managers = [entry["manager"] for entry in workload["metadata"]["managedFields"]]
    assert managers[-1] == "kubectl-rollout"
    assert workload["spec"]["replicas"] == 1


def test_time_passes_between_restarts_of_several(edits, cluster):
    for ref in (FRONT, CATALOG):
        cluster.patch(ref, {"spec": {"strategy": {"type": "Recreate"}}}, "merge")
    began = cluster.clock.now()
    restart_rollout(edits, (FRONT, CATALOG))
    assert PAUSE_S[0] <= cluster.clock.now() - began <= PAUSE_S[1]


def test_a_workload_at_zero_stays_there(edits, cluster):
    cluster.patch(CATALOG, {"spec": {"replicas": 0}}, "merge")
    restart_rollout(edits, (CATALOG,))
    assert cluster.get(CATALOG)["spec"]["replicas"] == 0


def test_a_daemon_set_is_restarted_by_its_template(edits, cluster):
    ref = ObjectRef(api_version="apps/v1", kind="DaemonSet", namespace="shop", name="agent")
    spec = {key: value for key, value in cluster.get(CATALOG)["spec"].items() if key != "replicas"}
    metadata = {"name": "agent", "namespace": "shop"}
    cluster.create(
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}
    )
    restart_rollout(edits, (ref,))
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
