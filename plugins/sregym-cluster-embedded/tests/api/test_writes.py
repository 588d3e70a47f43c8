from __future__ import annotations

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.store import Key


def put_pod(world, **more):
    obj = {"metadata": {"name": "p", "namespace": "shop", **more.pop("metadata", {})}}
    spec = {"containers": [{"name": "c", "image": "x:1"}], **more}
    return internal_client.create(world, "pods", {**obj, "spec": spec})


KEY = Key("pods", "shop", "p")


def test_a_created_object_has_all_that_a_server_sets(world):
    made = internal_client.create(
        world, "configmaps", {"metadata": {"generateName": "c-", "namespace": "shop"}, "data": {}}
    )
    name = made["metadata"]["name"]
    assert name.startswith("c-")
    assert len(name) == 7
    assert made == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "generateName": "c-",
            "namespace": "shop",
            "name": name,
            "uid": made["metadata"]["uid"],
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "resourceVersion": str(world.store.revision),
        },
        "data": {},
    }


def test_the_same_seed_makes_the_same_objects(make_world):
    assert put_pod(make_world()) == put_pod(make_world())


def test_a_name_is_taken_once(world):
    put_pod(world)
    with pytest.raises(ApiError, match=r'^pods "p" already exists$') as caught:
        put_pod(world)
    assert caught.value.reason == "AlreadyExists"


def test_a_missing_namespace_is_refused(world):
    obj = {"metadata": {"name": "c", "namespace": "none"}}
    with pytest.raises(ApiError, match=r'^namespaces "none" not found$'):
        internal_client.create(world, "configmaps", obj)


def test_a_namespace_under_deletion_takes_nothing_new(world):
    internal_client.delete(world, Key("namespaces", "", "shop"))
    with pytest.raises(ApiError) as caught:
        internal_client.create(
            world, "configmaps", {"metadata": {"name": "c", "namespace": "shop"}}
        )
    why = "unable to create new content in namespace shop because it is being terminated"
    assert caught.value.message == f'configmaps "c" is forbidden: {why}'


def test_generation_counts_changes_of_the_spec_only(world, make_deployment):
    made = make_deployment()
    made["metadata"]["namespace"] = "shop"
    first = internal_client.create(world, "deployments.apps", made)
    labelled = internal_client.update(
        world,
        "deployments.apps",
        {**first, "metadata": {**first["metadata"], "labels": {"a": "b"}}},
    )
    scaled = internal_client.update(
        world, "deployments.apps", {**labelled, "spec": {**labelled["spec"], "replicas": 3}}
    )
    generations = [obj["metadata"]["generation"] for obj in (first, labelled, scaled)]
    assert generations == [1, 1, 2]


def test_what_changes_nothing_is_not_written(world):
    made = put_pod(world)
    before = world.store.revision
    assert internal_client.update(world, "pods", made) is made
    assert internal_client.update_status(world, KEY, made["status"]) is made
    assert world.store.revision == before


def test_a_status_update_replaces_the_status_and_nothing_else(world):
    made = put_pod(world)
    after = internal_client.update_status(world, KEY, {"phase": "Running"})
    version = {"resourceVersion": str(world.store.revision)}
    assert after == {
        **made,
        "metadata": made["metadata"] | version,
        "status": {"phase": "Running"},
    }


def test_an_unbound_pod_goes_at_once(world):
    put_pod(world)
    internal_client.delete(world, KEY)
    assert world.store.get(KEY) is None


def test_a_bound_pod_waits_for_its_kubelet(world):
    put_pod(world)
    internal_client.bind(world, KEY, "node1")
    marked = internal_client.delete(world, KEY)
    assert marked["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:30Z"
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 30
    internal_client.remove(world, KEY)
    assert world.store.get(KEY) is None


@pytest.mark.parametrize(("period", "left"), [(0, None), (-3, 1), (7, 7)])
def test_the_grace_of_a_pod_is_its_own_period(world, period, left):
    put_pod(world)
    internal_client.bind(world, KEY, "node1")
    pod = world.store.get(KEY)
    spec = {**pod["spec"], "terminationGracePeriodSeconds": period}
    internal_client.update(world, "pods", {**pod, "spec": spec})
    internal_client.delete(world, KEY)
    found = world.store.get(KEY)
    assert (found and found["metadata"]["deletionGracePeriodSeconds"]) == left


def test_a_second_delete_can_only_shorten_the_grace(world):
    put_pod(world)
    internal_client.bind(world, KEY, "node1")
    internal_client.delete(world, KEY)
    assert (
        internal_client.delete(world, KEY, grace_s=60)["metadata"]["deletionGracePeriodSeconds"]
        == 30
    )
    assert (
        internal_client.delete(world, KEY, grace_s=5)["metadata"]["deletionGracePeriodSeconds"] == 5
    )
    internal_client.delete(world, KEY, grace_s=0)
    assert world.store.get(KEY) is None


def test_a_finalizer_holds_an_object_until_it_is_taken_off(world):
    put_pod(world, metadata={"finalizers": ["example.com/hold"]})
    internal_client.delete(world, KEY)
    assert "deletionTimestamp" in world.store.get(KEY)["metadata"]
    internal_client.patch_metadata(world, KEY, finalizers=[])
    assert world.store.get(KEY) is None


@pytest.mark.parametrize(
    ("policy", "finalizer"), [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")]
)
def test_a_propagation_policy_leaves_a_finalizer_for_the_collector(world, policy, finalizer):
    put_pod(world)
    assert internal_client.delete(world, KEY, policy)["metadata"]["finalizers"] == [finalizer]


def test_a_pod_is_bound_once(world):
    put_pod(world)
    bound = internal_client.bind(world, KEY, "node1")
    assert bound["spec"]["nodeName"] == "node1"
    with pytest.raises(ApiError) as caught:
        internal_client.bind(world, KEY, "node2")
    why = 'pod p is already assigned to node "node1"'
    assert caught.value.message == f'Operation cannot be fulfilled on pods "p": {why}'


@pytest.mark.parametrize(
    ("policy", "given", "has_port"),
    [("Local", None, True), ("Local", 31999, True), ("Cluster", None, False)],
)
def test_a_local_balancer_has_a_port_for_health(world, policy, given, has_port):
    spec = {"type": "LoadBalancer", "externalTrafficPolicy": policy, "ports": [{"port": 80}]}
    if given is not None:
        spec["healthCheckNodePort"] = given
    body = {"metadata": {"name": "lb", "namespace": "shop"}, "spec": spec}
    stored = internal_client.create(world, "services", body)["spec"]
    assert ("healthCheckNodePort" in stored) is has_port
    if given is not None:
        assert stored["healthCheckNodePort"] == given
    elif has_port:
        assert stored["healthCheckNodePort"] in range(30000, 32768)
        assert stored["healthCheckNodePort"] != stored["ports"][0]["nodePort"]
