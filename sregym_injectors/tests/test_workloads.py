from __future__ import annotations

import pytest
from sregym_core.errors import WorldError
from sregym_core.interfaces import CommandResult
from sregym_core.model import ObjectRef
from sregym_injectors.edits import PAUSE_S
from sregym_injectors.pods import label_selector, not_terminating, pods_of
from sregym_injectors.rollouts import Rollout, outstanding, replaces_all_pods
from sregym_injectors.templates import change_container
from sregym_injectors.workloads import (
    ready_pod,
    restart_rollout,
    roll_out,
    rolled_out,
    run_in_workload,
)
from sregym_testing import FullShop, MemoryCluster, Program, WatchedCluster

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
        ("Deployment", {"strategy": {"type": "Recreate"}, "paused": True}, False),
        ("Deployment", {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "25%"}}}, True),
        ("StatefulSet", {"replicas": 0, "updateStrategy": {"type": "OnDelete"}}, True),
        ("StatefulSet", {"updateStrategy": {"type": "OnDelete"}}, False),
        ("StatefulSet", {"updateStrategy": {"rollingUpdate": {"partition": 1}}}, False),
        ("StatefulSet", {"replicas": 3, "updateStrategy": {"rollingUpdate": {"maxUnavailable": "67%"}}}, True),
        ("DaemonSet", {}, True),
        ("DaemonSet", {"updateStrategy": {"type": "OnDelete"}}, False),
    ],
)  # fmt: skip
def test_whether_an_update_takes_all_old_pods(kind, spec, expected):
    assert replaces_all_pods({"kind": kind, "spec": spec}) is expected


def test_a_daemon_set_on_several_nodes_loses_one_pod_at_a_time():
    status = {"desiredNumberScheduled": 3}
    assert not replaces_all_pods({"kind": "DaemonSet", "spec": {}, "status": status})


def stateful_set(cluster, replicas=3):
    """A StatefulSet whose pods are ready, and what of it runs another template."""
    ref = ObjectRef(api_version="apps/v1", kind="StatefulSet", namespace="shop", name="ring")
    spec = {**cluster.get(CATALOG)["spec"], "replicas": replicas}
    spec["selector"], spec["template"]["metadata"] = {"matchLabels": {"app": "ring"}}, RING
    metadata = {"name": "ring", "namespace": "shop"}
    cluster.create(
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": spec}
    )
    cluster.clock.advance(1.0)
    assert rolled_out(cluster.get(ref))
    return ref


RING = {"labels": {"app": "ring"}}
BROKEN_RING = {"spec": {"template": {"metadata": {"labels": {"app": "ring", "x": "broken"}}}}}


def test_the_pods_of_a_stateful_set_are_deleted_where_an_update_would_stop(edits, cluster):
    ref = stateful_set(cluster)
    cluster.programs = {}
    roll_out(edits, ref, BROKEN_RING)
    cluster.clock.advance(60.0)
    assert outstanding(cluster, ref, Rollout.REPLACED) == ""
    assert not rolled_out(cluster.get(ref))
    assert ready_pod(cluster, ref) is None
    assert len(not_terminating(pods_of(cluster, cluster.get(ref)))) == 3


def test_a_restart_reaches_all_pods_of_a_stateful_set(edits, cluster):
    ref = stateful_set(cluster)
    cluster.programs = {}
    restart_rollout(edits, (ref,))
    cluster.clock.advance(60.0)
    assert ready_pod(cluster, ref) is None


def test_a_paused_deployment_is_resumed(edits, cluster):
    cluster.patch(CATALOG, {"spec": {"paused": True}}, "merge")
    roll_out(edits, CATALOG, RELABELLED)
    spec = cluster.get(CATALOG)["spec"]
    assert (spec["strategy"], "paused" in spec) == ({"type": "Recreate"}, False)


def test_a_stuck_rollout_keeps_the_old_pods_and_the_strategy(edits, cluster):
    strategy = cluster.get(CATALOG)["spec"].get("strategy")
    cluster.programs = {}
    roll_out(edits, CATALOG, RELABELLED, Rollout.STUCK)
    cluster.clock.advance(1.0)
    assert cluster.get(CATALOG)["spec"].get("strategy") == strategy
    assert ready_pod(cluster, CATALOG) is not None
    assert outstanding(cluster, CATALOG, Rollout.STUCK) == ""
    assert outstanding(cluster, CATALOG, Rollout.REPLACED) == (
        "Deployment shop/catalog still has 1 pod of the template before"
    )


def test_new_pods_that_never_get_ready_make_a_rollout_stuck(edits, cluster):
    slow = {part.image: Program(start_s=3600.0) for part in FullShop().components()}
    cluster.programs = slow
    roll_out(edits, CATALOG, RELABELLED, Rollout.STUCK)
    cluster.clock.advance(30.0)
    assert outstanding(cluster, CATALOG, Rollout.STUCK) == (
        "Deployment shop/catalog has no new pod that fails: its rollout goes on"
    )
    cluster.clock.advance(30.0)
    assert outstanding(cluster, CATALOG, Rollout.STUCK) == ""


def test_a_rollout_that_goes_through_is_not_stuck(edits, cluster):
    roll_out(edits, CATALOG, RELABELLED, Rollout.STUCK)
    cluster.clock.advance(1.0)
    assert outstanding(cluster, CATALOG, Rollout.STUCK) == (
        "Deployment shop/catalog has no ready pod of the template before: its rollout is not stuck"
    )


def test_what_takes_its_old_pods_cannot_be_stuck(edits, cluster):
    roomless(cluster, CATALOG)
    with pytest.raises(WorldError) as refused:
        roll_out(edits, CATALOG, RELABELLED, Rollout.STUCK)
    assert str(refused.value) == (
        "the rollout of Deployment shop/catalog cannot be stuck: its strategy takes all old pods "
        "before new ones are ready; choose a workload that keeps some, or the parameter rollout: "
        "replaced"
    )


@pytest.mark.parametrize(
    ("rollout", "status", "expected"),
    [
        ("replaced", {"observedGeneration": 2}, "the controller of Deployment a/b has not looked at the changed template yet"),
        ("replaced", {"replicas": 4, "updatedReplicas": 1}, "Deployment a/b still has 3 pods of the template before"),
        ("replaced", {"replicas": 2, "updatedReplicas": 2}, ""),
        ("stuck", {"replicas": 2, "updatedReplicas": 1}, "Deployment a/b has no new pod that fails: its rollout goes on"),
    ],
)  # fmt: skip
def test_what_is_missing_of_a_rollout(rollout, status, expected):
    ref = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="a", name="b")
    workload = {
        "kind": "Deployment",
        "metadata": {"generation": 3, "namespace": "a", "name": "b"},
        "spec": {"selector": {}},
        "status": {"observedGeneration": 3, **status},
    }
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    starting = {"phase": "Pending", "conditions": []}
    pods = [{"metadata": {"name": "p"}, "status": one} for one in (ready, starting)]

    class Told(MemoryCluster):
        def get(self, ref):
            return workload

        def list(self, *where):
            return pods

    assert outstanding(Told(), ref, Rollout(rollout)) == expected


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


def test_a_job_has_no_rollout_that_could_be_stuck(edits):
    job = ObjectRef(api_version="batch/v1", kind="Job", namespace="shop", name="import")
    catalog = component("catalog").model_copy(update={"workload": job})
    with pytest.raises(WorldError) as refused:
        change_container(edits, catalog, {"image": "absent"}, Rollout.STUCK)
    assert str(refused.value) == (
        "the rollout of Job shop/import cannot be stuck: a Job has none; choose a Deployment, "
        "StatefulSet or DaemonSet, or the parameter rollout: replaced"
    )
