"""The cluster in memory against which faults are tested."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import ClusterError, Command, CommandResult
from sregym_core.model import ObjectRef
from sregym_injectors.edits import ref_of
from sregym_injectors.testing import MemoryCluster, Shop, component

from sregym_injectors import commands

CATALOG = component("catalog").workload
ABSENT = CATALOG.model_copy(update={"name": "absent"})
CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="a")
MANIFEST = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "a", "namespace": "shop"},
    "data": {"x": "1", "y": "2"},
}


def pods(cluster, app):
    return [pod["metadata"]["name"] for pod in cluster.list("v1", "Pod", "shop", f"app={app}")]


@pytest.mark.parametrize(
    ("kind", "patch", "data"),
    [
        ("merge", {"data": {"x": None, "z": "3"}}, {"y": "2", "z": "3"}),
        ("strategic", {"data": {"x": "9"}}, {"x": "9", "y": "2"}),
        (
            "json",
            [
                {"op": "test", "path": "/data/x", "value": "1"},
                {"op": "remove", "path": "/data/x"},
                {"op": "add", "path": "/data/~1z", "value": "3"},
                {"op": "replace", "path": "/data/y", "value": "4"},
            ],
            {"y": "4", "/z": "3"},
        ),
    ],
)
def test_patches(cluster, kind, patch, data):
    cluster.create(MANIFEST)
    assert cluster.patch(CONFIG, patch, kind)["data"] == data


def test_lists_are_merged_item_by_item_by_a_strategic_patch_alone(cluster):
    containers = [{"name": "catalog", "env": [{"name": "A", "value": "1"}]}, {"name": "b"}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    merged = cluster.patch(CATALOG, patch)["spec"]["template"]["spec"]["containers"]
    assert [(c["name"], c.get("image"), c.get("env")) for c in merged] == [
        ("catalog", "shop/catalog:latest", [{"name": "A", "value": "1"}]),
        ("b", None, None),
    ]
    replaced = cluster.patch(CATALOG, patch, "merge")["spec"]["template"]["spec"]["containers"]
    assert replaced == containers


def test_lists_in_json_patches(cluster):
    path = "/spec/template/spec/containers/0/ports"
    operations = [
        {"op": "add", "path": f"{path}/-", "value": {"containerPort": 3}},
        {"op": "add", "path": f"{path}/0", "value": {"containerPort": 1}},
        {"op": "remove", "path": f"{path}/1"},
        {"op": "replace", "path": f"{path}/1/containerPort", "value": 2},
    ]
    container = cluster.patch(CATALOG, operations, "json")["spec"]["template"]["spec"]["containers"]
    assert [port["containerPort"] for port in container[0]["ports"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("call", "status", "reason", "message"),
    [
        (lambda c: c.create(c.get(CATALOG)), 409, "AlreadyExists",
         'deployments.apps "catalog" already exists'),
        (lambda c: c.patch(ABSENT, {}), 404, "NotFound", 'deployments.apps "absent" not found'),
        (lambda c: c.patch(CATALOG, [{"op": "remove", "path": "/no"}], "json"), 422, "Invalid",
         "the patch does not apply: /no"),
        (lambda c: c.patch(CATALOG, [{"op": "test", "path": "/kind", "value": "x"}], "json"), 422,
         "Invalid", "the patch does not apply: /kind is not 'x'"),
        (lambda c: c.exec("shop", "absent", ["true"]), 404, "NotFound", 'pods "absent" not found'),
        (lambda c: c.open_access(), 0, "", "a cluster in memory cannot be reached from outside"),
    ],
)  # fmt: skip
def test_refusals(cluster, call, status, reason, message):
    with pytest.raises(ClusterError) as caught:
        call(cluster)
    error = caught.value
    assert (error.status, error.reason, error.message) == (status, reason, message)


def test_pods_follow_their_workloads(cluster):
    first = pods(cluster, "catalog")
    pod = ref_of(cluster.list("v1", "Pod", "shop", "app=catalog")[0])
    cluster.delete(pod)
    assert pods(cluster, "catalog") == []
    cluster.clock.advance(1.0)
    assert pods(cluster, "catalog") == first
    cluster.patch(CATALOG, {"spec": {"replicas": 3}}, "merge")
    cluster.clock.advance(1.0)
    assert len(pods(cluster, "catalog")) == 3
    cluster.delete(CATALOG)
    cluster.clock.advance(1.0)
    assert pods(cluster, "catalog") == []


def test_pods_do_not_start_without_their_configmap(cluster):
    cluster.delete(component("catalog-db").config[0].source)
    cluster.clock.advance(60.0)
    assert Shop().ready(cluster) == []  # what runs does not notice
    assert cluster.kubectl(commands.rollout_restart(component("catalog-db").workload)).ok
    cluster.clock.advance(60.0)
    assert Shop().ready(cluster) == ["Deployment shop/catalog-db is not ready"]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ("scale deployment/catalog -n shop --replicas=2", CommandResult(0, "catalog scaled\n")),
        ("delete deployment/catalog -n shop", CommandResult(0, '"catalog" deleted\n')),
        ("rollout status deployment/catalog -n shop --timeout=5s",
         CommandResult(0, '"catalog" successfully rolled out\n')),
        ("rollout status deployment/absent -n shop --timeout=5s",
         CommandResult(1, "", "error: timed out waiting for the condition\n")),
        ("exec deployment/catalog -n shop -c catalog -- ls /",
         CommandResult(127, "", "ls: not found\n")),
        ("exec deployment/absent -n shop -- ls", CommandResult(1, "", "error: no running pods\n")),
        ("scale deployment/absent -n shop --replicas=2", CommandResult(
            1, "", 'Error from server (NotFound): deployments.apps "absent" not found\n')),
        ("drain deployment/catalog -n shop",
         CommandResult(1, "", 'error: unknown command "drain" for "kubectl"\n')),
    ],
)  # fmt: skip
def test_kubectl(cluster, argv, expected):
    assert cluster.kubectl(Command(("kubectl", *argv.split()))) == expected


def test_apply_creates_and_changes(cluster):
    assert cluster.kubectl(commands.apply(MANIFEST)) == CommandResult(0, "a created\n")
    changed = {**MANIFEST, "data": {"x": "5"}}
    assert cluster.kubectl(commands.apply(changed)) == CommandResult(0, "a configured\n")
    assert cluster.get(CONFIG)["data"] == {"x": "5", "y": "2"}


def test_closing_forgets_everything():
    cluster = MemoryCluster()
    Shop().deploy(cluster)
    cluster.close()
    assert cluster.list("apps/v1", "Deployment") == []
