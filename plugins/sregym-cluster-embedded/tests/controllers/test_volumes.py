"""Volumes and claims over time: phases, who waits for whom, and what is said meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key, Object

CLAIM = Key("persistentvolumeclaims", "shop", "data")


def claim(shop: Any, **fields: Any) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "disk",
        "resources": {"requests": {"storage": "1Gi"}},
        **fields,
    }
    metadata = {"name": "data", "namespace": "shop"}
    internal_client.create(shop.world, CLAIM.resource, {"metadata": metadata, "spec": spec})


def volume(shop: Any, **fields: Any) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "disk",
        "capacity": {"storage": "1Gi"},
        "hostPath": {"path": "/srv/disk"},
        "persistentVolumeReclaimPolicy": "Retain",
        **fields,
    }
    internal_client.create(
        shop.world, "persistentvolumes", {"metadata": {"name": "v"}, "spec": spec}
    )


def status_of_volume(shop: Any) -> Object:
    status: Object = shop.world.store.get(Key("persistentvolumes", "", "v"))["status"]
    return status


def phase(shop: Any) -> str:
    found: str = shop.world.store.get(CLAIM)["status"]["phase"]
    return found


def until_the_next_look(shop: Any) -> float:
    left: float = 15.0 - shop.world.now % 15.0
    return left


def test_a_volume_says_since_when_it_is_in_its_phase(shop: Any) -> None:
    began = shop.world.timestamp()
    volume(shop)
    assert status_of_volume(shop) == {"phase": "Pending", "lastPhaseTransitionTime": began}
    shop.run(0.5)
    assert status_of_volume(shop) == {"phase": "Available", "lastPhaseTransitionTime": began}
    shop.run(10)
    bound = shop.world.timestamp()
    claim(shop)
    shop.run(3)
    assert status_of_volume(shop) == {"phase": "Bound", "lastPhaseTransitionTime": bound}
    released = shop.world.timestamp()
    internal_client.delete(shop.world, CLAIM)
    shop.run(3)
    assert status_of_volume(shop) == {"phase": "Released", "lastPhaseTransitionTime": released}


def test_a_waiting_claim_sees_a_new_volume_when_the_controller_looks_again(shop: Any) -> None:
    shop.run(until_the_next_look(shop) + 1)
    claim(shop)
    shop.run(1)
    volume(shop)
    shop.run(12)
    assert phase(shop) == "Pending"
    shop.run(2)
    assert phase(shop) == "Bound"


def test_a_claim_waits_for_the_volume_that_it_names(shop: Any) -> None:
    claim(shop, volumeName="v")
    shop.run(1)
    assert phase(shop) == "Pending"
    volume(shop)
    shop.run(16)
    assert phase(shop) == "Bound"


@pytest.mark.parametrize(
    ("provisioner", "said"),
    [
        (
            "example.com/disk",
            (
                "ExternalProvisioning",
                "Waiting for a volume to be created either by the external provisioner "
                "'example.com/disk' or manually by the system administrator. If volume creation is "
                "delayed, please verify that the provisioner is running and correctly registered.",
            ),
        ),
        (
            "kubernetes.io/no-provisioner",
            ("ProvisioningFailed", "no volume plugin matched name: kubernetes.io/no-provisioner"),
        ),
    ],
)
def test_who_waits_for_a_provisioner_says_so_at_each_look(
    shop: Any, provisioner: str, said: tuple[str, str]
) -> None:
    made = {"metadata": {"name": "disk"}, "provisioner": provisioner}
    internal_client.create(shop.world, "storageclasses.storage.k8s.io", made)
    shop.run(until_the_next_look(shop) + 1)
    reason, message = said
    claim(shop)
    shop.run(2)
    assert shop.events(reason) == [(message, 1)]
    shop.run(30)
    assert shop.events(reason) == [(message, 3)]


@pytest.mark.parametrize(
    ("given", "lacks"),
    [
        ({"capacity": {"storage": "1Mi"}}, "requested PV is too small"),
        ({"storageClassName": "tape"}, "storageClassName does not match"),
        ({"volumeMode": "Block"}, "incompatible volumeMode"),
        ({"accessModes": ["ReadOnlyMany"]}, "incompatible accessMode"),
    ],
)
def test_a_claim_is_not_bound_to_a_named_volume_that_cannot_serve_it(
    shop: Any, given: dict[str, Any], lacks: str
) -> None:
    volume(shop, **given)
    claim(shop, volumeName="v")
    shop.run(1)
    assert phase(shop) == "Pending"
    text = f'Cannot bind to requested volume "v": {lacks}'
    assert shop.events("VolumeMismatch") == [(text, 1)]


def test_a_volume_that_is_held_for_a_claim_has_to_be_large_enough(shop: Any) -> None:
    held = {"namespace": "shop", "name": "data"}
    volume(shop, capacity={"storage": "1Mi"}, claimRef=held)
    claim(shop)
    shop.run(1)
    assert phase(shop) == "Pending"


def test_a_bound_claim_loses_its_volume(shop: Any) -> None:
    volume(shop)
    claim(shop)
    shop.run(2)
    key = Key("persistentvolumes", "", "v")
    internal_client.patch_metadata(shop.world, key, finalizers=[])
    internal_client.delete(shop.world, key)
    shop.run(2)
    assert shop.world.store.get(CLAIM)["status"] == {"phase": "Lost"}
    text = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    assert shop.events("ClaimLost") == [(text, 1)]


def test_a_claim_whose_volume_is_bound_to_another_is_lost(shop: Any) -> None:
    volume(shop)
    claim(shop)
    shop.run(2)
    key = Key("persistentvolumes", "", "v")
    bound = shop.world.store.get(key)
    other = {**bound["spec"]["claimRef"], "name": "other", "uid": "other"}
    spec = {**bound["spec"], "claimRef": other}
    internal_client.update(shop.world, key.resource, {**bound, "spec": spec})
    shop.run(1)
    internal_client.annotate(shop.world, CLAIM, {"looked": "at"})
    shop.run(1)
    text = "Two claims are bound to the same volume, this one is bound incorrectly"
    assert shop.events("ClaimMisbound") == [(text, 1)]


def recycled(shop: Any, path: str = "/srv/disk") -> Key:
    """A volume whose claim has just gone; the pod that empties it."""
    volume(shop, persistentVolumeReclaimPolicy="Recycle", hostPath={"path": path})
    claim(shop)
    shop.run(2)
    internal_client.delete(shop.world, CLAIM)
    shop.run(3)
    return Key("pods", "default", "recycler-for-v")


def told(shop: Any) -> list[tuple[str, str, str]]:
    return [
        (event["type"], event["reason"], event["message"])
        for event in shop.world.store.list("events", "default")
        if event["involvedObject"]["kind"] == "PersistentVolume"
    ]


def test_a_pod_empties_a_volume_that_is_to_be_recycled(shop: Any) -> None:
    place = recycled(shop)
    pod = shop.world.store.get(place)
    assert (pod["spec"]["activeDeadlineSeconds"], pod["spec"]["volumes"][0]) == (
        60,
        {"name": "vol", "hostPath": {"path": "/srv/disk", "type": ""}},
    )
    node = pod["spec"]["nodeName"]
    said = "Recycler pod: Successfully assigned default/recycler-for-v to"
    assert ("Normal", "RecyclerPod", f"{said} {node}") in told(shop)
    assert status_of_volume(shop)["phase"] == "Released"
    done = {**pod["status"], "phase": "Succeeded"}
    internal_client.update_status(shop.world, place, done)
    shop.run(3)
    assert ("Normal", "VolumeRecycled", "Volume recycled") in told(shop)
    found = shop.world.store.get(Key("persistentvolumes", "", "v"))
    assert (found["status"]["phase"], "claimRef" in found["spec"]) == ("Available", False)
    assert shop.world.store.get(place) is None


def test_a_volume_that_cannot_be_emptied_fails_and_is_tried_again(shop: Any) -> None:
    place = recycled(shop)
    first = shop.world.store.get(place)["metadata"]["uid"]
    shop.run(62)
    text = "Recycle failed: Pod was active on the node longer than the specified deadline"
    status = status_of_volume(shop)
    assert (status["phase"], status["message"]) == ("Failed", text)
    assert ("Warning", "VolumeFailedRecycle", text) in told(shop)
    shop.run(16)
    assert shop.world.store.get(place)["metadata"]["uid"] != first


def test_a_finished_pod_still_holds_its_claim(shop: Any) -> None:
    """Not so one that never came to a node, nor the claim of a pod that its kubelet let go."""
    volume(shop)
    claim(shop)
    shop.run(1)
    mount = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    container = {"name": "c", "image": "registry.example/library/busybox:1.36"}
    spec = {"restartPolicy": "Never", "containers": [container], **mount}
    place = {"name": "done", "namespace": "shop"}
    internal_client.create(shop.world, "pods", {"metadata": place, "spec": spec})
    never = {**spec, "nodeSelector": {"no": "node"}}
    internal_client.create(
        shop.world, "pods", {"metadata": {**place, "name": "never"}, "spec": never}
    )
    shop.run(10)
    assert shop.world.store.get(Key("pods", "shop", "done"))["status"]["phase"] == "Succeeded"
    internal_client.delete(shop.world, CLAIM)
    shop.run(60)
    assert phase(shop) == "Bound"
    internal_client.delete(shop.world, Key("pods", "shop", "done"))
    shop.run(3)
    assert shop.world.store.get(CLAIM) is None


def test_a_volume_held_for_a_claim_has_to_offer_its_access_modes(shop: Any) -> None:
    shop.apply(
        """
apiVersion: v1
kind: PersistentVolume
metadata: {name: held}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: none
  hostPath: {path: /tmp/held}
  claimRef: {name: shared, namespace: shop}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
"""
    )
    shop.run(10)
    claim = shop.world.store.get(Key("persistentvolumeclaims", "shop", "shared"))
    volume = shop.world.store.get(Key("persistentvolumes", "", "held"))
    assert (claim["status"]["phase"], volume["status"]["phase"]) == ("Pending", "Available")
    told = [message for message, _ in shop.events("ProvisioningFailed")]
    assert told == ['storageclass.storage.k8s.io "none" not found']
