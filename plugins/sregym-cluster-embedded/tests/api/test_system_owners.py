"""What controllers, kubelets and the scheduler own, as clients read it."""

from __future__ import annotations

from typing import Any

import orjson
from sregym_cluster_embedded.api import internal_client, system_owners
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key

SPEC = {"containers": [{"name": "c", "image": "registry.example/shop/worker:1.0"}]}
CREATED = {
    "f:containers": {
        'k:{"name":"c"}': {
            ".": {},
            "f:image": {},
            "f:imagePullPolicy": {},
            "f:name": {},
            "f:resources": {},
            "f:terminationMessagePath": {},
            "f:terminationMessagePolicy": {},
        }
    },
    "f:dnsPolicy": {},
    "f:enableServiceLinks": {},
    "f:restartPolicy": {},
    "f:schedulerName": {},
    "f:securityContext": {},
    "f:terminationGracePeriodSeconds": {},
}


def entries(obj: Any) -> dict[tuple[str, str], Any]:
    return {
        (entry["manager"], entry.get("subresource", "")): entry["fieldsV1"]
        for entry in obj["metadata"]["managedFields"]
    }


def test_a_deployment_reads_as_recorded(golden: Any, world: Any) -> None:
    recorded = orjson.loads((golden / "tables" / "one-deployment-object.json").read_bytes())
    rows = recorded.get("body", recorded)["rows"]
    obj = rows[0]["object"]
    fields = obj["metadata"]["managedFields"]
    users = [entry for entry in fields if entry["manager"] != "kube-controller-manager"]
    bare = {**obj, "metadata": {**obj["metadata"], "managedFields": users}}
    kind = internal_client.resource_named(world, "deployments.apps")
    assert entries(system_owners.complete(kind, bare)) == entries(obj)


def test_what_admission_adds_to_a_pod_belongs_to_nobody(client: Any) -> None:
    body = {"metadata": {"name": "p"}, "spec": SPEC}
    made = client("POST", "/api/v1/namespaces/shop/pods", body, fieldManager="me")
    assert made["spec"]["tolerations"][0]["key"] == "node.kubernetes.io/not-ready"
    assert entries(made) == {("me", ""): {"f:spec": CREATED}}


def test_what_the_client_sends_is_the_clients_even_if_admission_would_add_it(client: Any) -> None:
    given = {"serviceAccountName": "default", "priority": 0}
    body = {"metadata": {"name": "p"}, "spec": {**SPEC, **given}}
    made = client("POST", "/api/v1/namespaces/shop/pods", body, fieldManager="me")
    more = {"f:priority": {}, "f:serviceAccount": {}, "f:serviceAccountName": {}}
    assert entries(made) == {("me", ""): {"f:spec": {**CREATED, **more}}}


def test_pods_of_controllers_belong_to_controller_and_kubelet(recorded_images: Any) -> None:
    world = build(Blueprint(models=recorded_images, seed=1))
    template = {"metadata": {"labels": {"app": "w"}}, "spec": SPEC}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "w"}}, "template": template}
    metadata = {"name": "w", "namespace": "default"}
    internal_client.create(world, "deployments.apps", {"metadata": metadata, "spec": spec})
    world.run_until(world.now + 5)
    (pod,) = world.store.list("pods", "default")
    kind = internal_client.resource_named(world, "pods")
    found = entries(system_owners.complete(kind, pod))
    assert sorted(found) == [("kube-controller-manager", ""), ("kubelet", "status")]
    (owner,) = pod["metadata"]["ownerReferences"]
    assert found[("kube-controller-manager", "")] == {
        "f:metadata": {
            "f:generateName": {},
            "f:labels": {".": {}, "f:app": {}, "f:pod-template-hash": {}},
            "f:ownerReferences": {".": {}, f'k:{{"uid":"{owner["uid"]}"}}': {}},
        },
        "f:spec": CREATED,
    }
    names = ("lastProbeTime", "lastTransitionTime", "observedGeneration", "status", "type")
    condition: dict[str, Any] = {".": {}, **{f"f:{name}": {} for name in names}}
    own = ("ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready")
    assert found[("kubelet", "status")]["f:status"]["f:conditions"] == {
        **{f'k:{{"type":"{name}"}}': condition for name in own},
        'k:{"type":"PodScheduled"}': {"f:observedGeneration": {}},
    }


def test_an_entry_that_came_back_with_an_object_is_not_doubled(recorded_images: Any) -> None:
    world = build(Blueprint(models=recorded_images, seed=1))
    kind = internal_client.resource_named(world, "namespaces")
    place = world.store.get(Key("namespaces", "", "default"))
    assert place is not None
    once = system_owners.complete(kind, place)
    assert system_owners.complete(kind, once) == once
