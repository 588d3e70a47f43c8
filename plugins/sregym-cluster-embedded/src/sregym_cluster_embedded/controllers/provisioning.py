"""Dynamic provisioning: volumes on a node's own disk, or of a CSI driver in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import storage_drivers as drivers
from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.controllers.attacher import finalizer
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.provisioning"
_CLAIMS = "persistentvolumeclaims"
LOCAL_PATH = "rancher.io/local-path"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
_TAKES_S = 1.5
_ROOT = "/opt/local-path-provisioner"
_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
_PROVISIONER_BETA = "volume.beta.kubernetes.io/storage-provisioner"


def runs(world: World, provisioner: str) -> bool:
    """Whether a provisioner of that name is in the cluster."""
    return provisioner == LOCAL_PATH or drivers.running(world, provisioner) is not None


def begin(world: World, claim: Object, provisioner: str, node: str | None, component: str) -> None:
    """Have a provisioner that is in the cluster make a volume, once."""
    metadata = claim["metadata"]
    if names_provisioner(claim):
        return
    key = Key(_CLAIMS, metadata["namespace"], metadata["name"])
    claim = request_volume(world, claim, provisioner, component)
    text = f'External provisioner is provisioning volume for claim "{key.namespace}/{key.name}"'
    _say(world, claim, provisioner, "Provisioning", text)
    chosen = node or _any_node(world)
    world.after(_TAKES_S, HANDLER, key, metadata["uid"], chosen)


def names_provisioner(claim: Object) -> bool:
    """Whether a claim names the provisioner that is to make its volume."""
    return _PROVISIONER in (claim["metadata"].get("annotations") or {})


def request_volume(world: World, claim: Object, provisioner: str, component: str) -> Object:
    """Name the provisioner that is to make a volume for a claim, and say so; returns the claim.

    One that is not in the cluster never answers, nor does anybody for those that were once part of
    Kubernetes.
    """
    if provisioner.startswith("kubernetes.io/"):
        text = f"no volume plugin matched name: {provisioner}"
        events.record(world, claim, _CLAIMS, "Warning", "ProvisioningFailed", text, component)
        return claim
    metadata = claim["metadata"]
    key = Key(_CLAIMS, metadata["namespace"], metadata["name"])
    marks: dict[str, str | None] = {_PROVISIONER: provisioner, _PROVISIONER_BETA: provisioner}
    claim = internal_client.annotate(world, key, marks) or claim
    text = (
        f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or "
        "manually by the system administrator. If volume creation is delayed, please verify that "
        "the provisioner is running and correctly registered."
    )
    events.record(world, claim, _CLAIMS, "Normal", "ExternalProvisioning", text, component)
    return claim


def provision(world: World, key: Key, uid: str, node: str) -> None:
    """Handler: the volume is made."""
    claim = world.store.get(key)
    if claim is None or claim["metadata"]["uid"] != uid or claim["spec"].get("volumeName"):
        return
    spec = claim["spec"]
    found = world.store.get(Key("storageclasses.storage.k8s.io", "", spec["storageClassName"]))
    name, provisioner = f"pvc-{uid}", claim["metadata"]["annotations"][_PROVISIONER]
    made = _local if provisioner == LOCAL_PATH else _driven
    metadata, source = made(key, name, provisioner, node)
    volume = {
        "metadata": {"name": name, **metadata},
        "spec": {
            "accessModes": spec["accessModes"],
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "name": key.name,
                "namespace": key.namespace,
                "resourceVersion": claim["metadata"]["resourceVersion"],
                "uid": uid,
            },
            **source,
            "persistentVolumeReclaimPolicy": (found or {}).get("reclaimPolicy", "Delete"),
            "storageClassName": spec["storageClassName"],
            "volumeMode": spec.get("volumeMode", "Filesystem"),
        },
    }
    internal_client.create(world, "persistentvolumes", volume)
    text = f"Successfully provisioned volume {name}"
    _say(world, claim, provisioner, "ProvisioningSucceeded", text)


def _local(key: Key, name: str, provisioner: str, node: str) -> tuple[Object, Object]:
    """Metadata and source of a volume on the disk of a node."""
    annotations = {"local.path.provisioner/selected-node": node, PROVISIONED_BY: provisioner}
    required = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    source = {
        "hostPath": {
            "path": f"{_ROOT}/{name}_{key.namespace}_{key.name}",
            "type": "DirectoryOrCreate",
        },
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [required]}]}},
    }
    return {"annotations": annotations}, source


def _driven(_key: Key, name: str, provisioner: str, _node: str) -> tuple[Object, Object]:
    """Metadata and source of a volume of a CSI driver."""
    annotations = {
        PROVISIONED_BY: provisioner,
        "volume.kubernetes.io/provisioner-deletion-secret-name": "",
        "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
    }
    csi = {"driver": provisioner, "fsType": "ext4", "volumeHandle": name.replace("pvc-", "vol-")}
    return {"annotations": annotations, "finalizers": [finalizer(provisioner)]}, {"csi": csi}


def _any_node(world: World) -> str:
    nodes = [node["metadata"]["name"] for node in world.store.list("nodes", "")]
    return nodes[0] if nodes else ""


def _say(world: World, claim: Object, provisioner: str, reason: str, text: str) -> None:
    events.record(world, claim, _CLAIMS, "Normal", reason, text, provisioner)
