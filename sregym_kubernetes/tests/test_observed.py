"""What no object tells, and objects that are compared and not all given back."""

from __future__ import annotations

import json

from sregym_core.interfaces import ServiceAnswer
from sregym_core.model import ObjectRef
from sregym_kubernetes.operations.objects import capture
from sregym_kubernetes.operations.observed import give_back_observed, observed, outside
from sregym_testing import MemoryCluster, Shop

VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "v"},
    "spec": {"persistentVolumeReclaimPolicy": "Retain"},
}
SLICE = {
    "apiVersion": "discovery.k8s.io/v1",
    "kind": "EndpointSlice",
    "metadata": {"name": "cart-1", "namespace": "shop"},
    "addressType": "IPv4",
    "endpoints": [],
}
KEEPER = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}


def made() -> MemoryCluster:
    cluster = MemoryCluster({})
    Shop().deploy(cluster)
    cluster.create(VOLUME)
    return cluster


def test_what_was_written_by_hand_goes_and_volumes_get_their_policy_back() -> None:
    cluster = made()
    kept = {**SLICE, "metadata": {**SLICE["metadata"], "name": "cart-2", "labels": KEEPER}}
    cluster.create(kept)
    before = observed(cluster, ("shop",))
    assert list(before) == [str(ObjectRef.of(VOLUME))]
    cluster.create(SLICE)
    body = {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}
    cluster.patch(ObjectRef.of(VOLUME), body, "merge")
    assert set(observed(cluster, ("shop",))) - set(before) == {str(ObjectRef.of(SLICE))}
    give_back_observed(cluster, before, ("shop",))
    after = observed(cluster, ("shop",))
    assert {name: obj["spec"] for name, obj in after.items()} == {
        str(ObjectRef.of(VOLUME)): {"persistentVolumeReclaimPolicy": "Retain"}
    }
    assert cluster.get(ObjectRef.of(kept)) is not None


def test_only_silences_in_force_are_told() -> None:
    cluster = made()
    matchers = [{"name": "alertname", "value": ".*", "isRegex": True}]
    told = [
        {"id": "1", "status": {"state": "active"}, "matchers": matchers},
        {"id": "2", "status": {"state": "expired"}, "matchers": matchers},
    ]
    cluster.observed["alertmanager"] = lambda *_: ServiceAnswer(200, json.dumps(told).encode())
    silences = {name: text for name, text in outside(cluster).items() if "Silence" in name}
    assert silences == {"Silence 1": '{"alertname": ".*"}'}
    cluster.observed["alertmanager"] = lambda *_: ServiceAnswer(503, b"")
    assert not any("Silence" in name for name in outside(cluster))


def test_who_says_that_a_controller_made_it_is_not_believed() -> None:
    cluster = made()
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1", "controller": True}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": []}}
    for name, kind in (("mine", "ConfigMap"), ("theirs", "ReplicaSet")):
        group = "v1" if kind == "ConfigMap" else "apps/v1"
        owners = [{**owner, "kind": kind, "apiVersion": group}]
        metadata = {"name": name, "namespace": "shop", "ownerReferences": owners}
        cluster.create({**pod, "metadata": metadata})
    found = {name for name in capture(cluster, ("shop",)) if name.startswith("Pod")}
    assert "Pod shop/mine" in found
    assert "Pod shop/theirs" not in found
