"""The cluster in memory against which faults, noise and oracles are tested."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Actor, ClusterError, ClusterSpec, Command, CommandResult
from sregym_core.model import ObjectRef
from sregym_testing import (
    FullShop,
    MemoryCluster,
    Program,
    Shop,
    ShopWithTraffic,
    WatchedCluster,
)

CATALOG = FullShop().component("catalog").workload
STORE = FullShop().component("catalog-db").workload
ABSENT = CATALOG.model_copy(update={"name": "absent"})
CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="a")
MANIFEST = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "a", "namespace": "shop"},
    "data": {"x": "1", "y": "2"},
}
ANNOTATED = {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}


@pytest.fixture
def cluster() -> MemoryCluster:
    """With a shop that is ready."""
    cluster = MemoryCluster()
    FullShop().deploy(cluster)
    assert FullShop().ready(cluster) == []
    return cluster


def pods(cluster, app):
    return [pod["metadata"]["name"] for pod in cluster.list("v1", "Pod", "shop", f"app={app}")]


def containers(cluster, app):
    """Names of pods, and how their only container fares."""
    return {
        pod["metadata"]["name"]: pod["status"]["containerStatuses"][0]
        for pod in cluster.list("v1", "Pod", "shop", f"app={app}")
    }


def kubectl(cluster, words, stdin=""):
    return cluster.kubectl(Command(("kubectl", *words.split()), stdin))


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


def test_a_patch_of_an_unknown_kind(cluster):
    cluster.create(MANIFEST)
    with pytest.raises(ClusterError) as refused:
        cluster.patch(CONFIG, {}, "apply")
    assert str(refused.value) == "the patch cannot be applied: unknown kind of patch 'apply'"


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
        (lambda c: c.create({**MANIFEST, "metadata": {"name": "a", "namespace": "gone"}}), 404,
         "NotFound", 'namespaces "gone" not found'),
        (lambda c: c.patch(ABSENT, {}), 404, "NotFound", 'deployments.apps "absent" not found'),
        (lambda c: c.patch(CATALOG, [{"op": "remove", "path": "/no"}], "json"), 422, "Invalid",
         "the patch cannot be applied: there is nothing at '/no' to remove"),
        (lambda c: c.patch(CATALOG, [{"op": "test", "path": "/kind", "value": "x"}], "json"), 422,
         "Invalid", "the patch cannot be applied: test failed: 'Deployment' is not 'x'"),
        (lambda c: c.exec("shop", "absent", ["true"]), 404, "NotFound", 'pods "absent" not found'),
        (lambda c: c.open_access(), 0, "",
         "a memory cluster has no address; take one from a cluster plugin"),
    ],
)  # fmt: skip
def test_refusals(cluster, call, status, reason, message):
    with pytest.raises(ClusterError) as caught:
        call(cluster)
    error = caught.value
    assert (error.status, error.reason, error.message) == (status, reason, message)


def test_reads_fail_when_told_to_until_told_otherwise(cluster):
    busy = ClusterError(503, "ServiceUnavailable", "the server is busy")
    cluster.fail_reads(busy)
    for read in (lambda: cluster.get(CATALOG), lambda: cluster.list("v1", "Pod")):
        with pytest.raises(ClusterError) as caught:
            read()
        assert caught.value is busy
    cluster.fail_reads(None)
    assert cluster.get(CATALOG)["metadata"]["name"] == "catalog"


def test_pods_follow_their_workloads_when_time_passes(cluster):
    assert pods(cluster, "catalog") == ["catalog-1-0"]
    pod = CATALOG.model_copy(update={"api_version": "v1", "kind": "Pod", "name": "catalog-1-0"})
    cluster.delete(pod)
    assert pods(cluster, "catalog") == []
    cluster.clock.advance(1.0)
    assert pods(cluster, "catalog") == ["catalog-1-0"]
    cluster.patch(CATALOG, {"spec": {"replicas": 3}}, "merge")
    assert pods(cluster, "catalog") == ["catalog-1-0"]
    cluster.clock.advance(1.0)
    assert pods(cluster, "catalog") == ["catalog-1-0", "catalog-1-1", "catalog-1-2"]
    cluster.delete(CATALOG)
    assert pods(cluster, "catalog") == []


def test_what_was_at_zero_only_in_between_was_never_seen(cluster):
    cluster.programs = {}
    for replicas in (0, 1):
        cluster.patch(CATALOG, {"spec": {"replicas": replicas}}, "merge")
    cluster.clock.advance(1.0)
    assert FullShop().ready(cluster) == []


def test_a_rolling_update_keeps_old_pods_and_recreate_does_not(cluster):
    cluster.programs = {}
    for ref in (CATALOG, STORE):
        cluster.patch(ref, ANNOTATED, "merge")
    cluster.clock.advance(60.0)
    assert pods(cluster, "catalog") == ["catalog-1-0", "catalog-2-0"]
    assert cluster.get(CATALOG)["status"] == {
        "observedGeneration": 2,
        "replicas": 2,
        "updatedReplicas": 1,
        "readyReplicas": 1,
        "availableReplicas": 1,
    }
    assert pods(cluster, "catalog-db") == ["catalog-db-2-0"]
    cluster.programs = None
    cluster.clock.advance(1.0)
    assert pods(cluster, "catalog") == ["catalog-2-0"]
    assert FullShop().ready(cluster) == []


def test_a_template_that_comes_back_has_its_old_pods(cluster):
    cluster.programs = {}
    before = cluster.get(CATALOG)["spec"]["template"]
    cluster.patch(CATALOG, ANNOTATED, "merge")
    cluster.clock.advance(1.0)
    cluster.replace(
        {**cluster.get(CATALOG), "spec": {**cluster.get(CATALOG)["spec"], "template": before}}
    )
    cluster.clock.advance(1.0)
    assert pods(cluster, "catalog") == ["catalog-1-0"]


def test_pods_do_not_start_without_their_configmap(cluster):
    source = FullShop().component("catalog-db").config[0].source
    script = cluster.get(source)
    cluster.delete(source)
    cluster.clock.advance(60.0)
    assert FullShop().ready(cluster) == []  # what runs does not notice
    assert kubectl(cluster, "-n shop rollout restart deployment/catalog-db").ok
    cluster.clock.advance(60.0)
    assert FullShop().ready(cluster) == ["Deployment catalog-db is not ready"]
    cluster.create(script)
    cluster.clock.advance(1.0)
    assert FullShop().ready(cluster) == []


@pytest.mark.parametrize(
    ("program", "after_s", "status"),
    [
        (None, 35, {"ready": False, "restartCount": 0, "state": {"waiting": {"reason": "ImagePullBackOff"}}}),
        (Program(memory_mib=999.0), 35, {"ready": False, "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}),
        (Program(), 2, {"ready": False, "restartCount": 0, "state": {"running": {}}}),
        (Program(), 3, {"ready": True, "restartCount": 0, "state": {"running": {}}}),
        (Program(crash_after_s=30.0), 32, {"ready": False, "restartCount": 1, "state": {"running": {}}}),
        (Program(crash_after_s=30.0), 33, {"ready": True, "restartCount": 1, "state": {"running": {}}}),
    ],
)  # fmt: skip
def test_what_runs_is_told_by_the_image(program, after_s, status):
    programs = ShopWithTraffic.programs()
    del programs["shop/front:1.0"]
    cluster = MemoryCluster(
        programs if program is None else {**programs, "shop/front:1.0": program}
    )
    ShopWithTraffic().deploy(cluster)
    cluster.clock.advance(after_s)
    assert containers(cluster, "front") == {"front-1-0": {"name": "front", **status}}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("rollout status deployment/catalog -n shop --timeout=5s",
         CommandResult(0, 'deployment "catalog" successfully rolled out\n')),
        ("rollout status deployment/catalog-db -n shop --timeout=5s",
         CommandResult(1, "", "error: timed out waiting for the condition\n")),
        ("rollout status deployment/absent -n shop --timeout=5s", CommandResult(
            1, "", 'Error from server (NotFound): deployments.apps "absent" not found\n')),
        ("exec deployment/catalog -n shop -c catalog -- ls /",
         CommandResult(127, "", "ls: not found\n")),
        ("exec pod/catalog-1-0 -n shop -- scale", CommandResult(127, "", "scale: not found\n")),
        ("exec deployment/catalog-db -n shop -- ls",
         CommandResult(1, "", "error: no pod of deployment/catalog-db is ready\n")),
        ("scale deployment/absent -n shop --replicas=2", CommandResult(
            1, "", 'Error from server (NotFound): deployments.apps "absent" not found\n')),
    ],
)  # fmt: skip
def test_kubectl(cluster, words, expected):
    cluster.programs = {}
    cluster.patch(STORE, ANNOTATED, "merge")
    cluster.clock.advance(1.0)
    assert kubectl(cluster, words) == expected


def test_what_a_test_says_answers_commands(cluster):
    cluster.executor = lambda pod, argv, stdin: CommandResult(
        0, f"{pod['metadata']['labels']['app']} {' '.join(argv)} {stdin}"
    )
    assert cluster.exec("shop", "catalog-1-0", ["cat", "-"], stdin="text") == CommandResult(
        0, "catalog cat - text"
    )
    cluster.answers["kubectl get pods"] = CommandResult(0, "none\n")
    assert kubectl(cluster, "get pods") == CommandResult(0, "none\n")


def test_a_fork_goes_its_own_way():
    cluster = MemoryCluster(ShopWithTraffic.programs())
    ShopWithTraffic().deploy(cluster)
    cluster.clock.advance(2)
    fork = cluster.checkpoint().fork(ClusterSpec())
    fork.clock.advance(1)
    assert (ShopWithTraffic().ready(fork), len(ShopWithTraffic().ready(cluster))) == ([], 4)
    assert fork.clock.now() - cluster.clock.now() == 1.0


def test_traffic_follows_the_history_of_the_objects() -> None:
    cluster, application = MemoryCluster(ShopWithTraffic.programs()), ShopWithTraffic()
    with pytest.raises(ClusterError) as caught:
        application.traffic(cluster, 20)
    assert caught.value.message == "application shop is not deployed"
    application.deploy(cluster)
    cluster.clock.advance(30)
    assert application.traffic(cluster, 20).success_rate == 1.0
    cluster.delete(ObjectRef(api_version="v1", kind="Service", namespace="shop", name="orders"))
    cluster.clock.advance(5)
    operations = application.traffic(WatchedCluster(cluster), 20).operations
    # Six of the twenty looks fall on or after the moment of the deletion.
    assert {n: (t.requests, t.ok) for n, t in operations.items()} == {
        "browse": (180, 180),
        "order": (20, 14),
    }


@pytest.mark.parametrize(
    ("target", "success_rate"), [("http", 1.0), ("grpc", 0.0), (8080, 1.0), (8081, 0.0)]
)
def test_a_service_leads_to_a_port_by_number_or_name(cluster, target, success_rate):
    patch = [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": target}]
    cluster.patch(FullShop().component("front").service, patch, "json")
    cluster.clock.advance(10.0)
    assert FullShop().traffic(cluster, 10.0).success_rate == success_rate


def test_where_nobody_asks_there_is_no_traffic(cluster):
    assert Shop().traffic(cluster, 10.0).seconds == 0.0


def test_visitors_need_a_memory_cluster():
    with pytest.raises(TypeError) as caught:
        ShopWithTraffic().traffic(object(), 1.0)
    assert str(caught.value) == (
        "nobody visits this application on a object: it lives in a MemoryCluster"
    )


def test_no_state_is_older_than_the_cluster(cluster):
    with pytest.raises(ValueError) as caught:
        cluster.state_at(5.0)
    assert str(caught.value) == "there is no state of 5.0: the cluster was made later"


def test_a_limit_in_an_unknown_unit_is_an_error():
    cluster = MemoryCluster()
    Shop().deploy(cluster)
    cart = cluster.get(Shop().component("cart").workload)
    resources = {"limits": {"memory": "1Yi"}}
    cart["spec"]["template"]["spec"]["containers"][0]["resources"] = resources
    cluster.replace(cart)
    with pytest.raises(ValueError) as caught:
        cluster.clock.advance(1.0)
    assert str(caught.value) == "'1Yi' is no memory quantity that a memory cluster knows"


def test_who_has_no_rights_and_what_is_no_value_is_refused(cluster: MemoryCluster) -> None:
    limited = Actor("deploy", "ci/1.0", "system:serviceaccount:ci:runner", limited=True)
    for actor, replicas, told in (
        (
            limited,
            2,
            'deployments.apps "catalog" is forbidden: User "system:serviceaccount:ci:runner" cannot '
            "change it",
        ),
        (
            None,
            -2,
            'deployments.apps "catalog" is invalid: spec.replicas: Invalid value: -2: must be greater '
            "than or equal to 0",
        ),
    ):
        with pytest.raises(ClusterError) as refused:
            cluster.patch(CATALOG, {"spec": {"replicas": replicas}}, "merge", actor)
        assert refused.value.message == told
    assert FullShop().ready(cluster) == []
