"""Volumes of CSI drivers: attached to one node, counted, grown, let go."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.cluster.provider import Embedded
from sregym_cluster_embedded.node.bootstrap import NodeSpec, add_node
from sregym_cluster_embedded.node.driver_objects import install
from sregym_cluster_embedded.node.power import power_off
from sregym_cluster_embedded.storage_drivers import ATTACHMENTS, CSI_NODES, Driver
from sregym_cluster_embedded.store import Key, Object
from sregym_core.interfaces import ClusterSpec

DRIVER = "disks.csi.example.com"
WORKER = "registry.example/shop/worker:1.0"
POD = (
    "{%s volumes: [{name: v, persistentVolumeClaim: {claimName: %s}}], "
    f"containers: [{{name: c, image: '{WORKER}', volumeMounts: [{{name: v, mountPath: /v}}]}}]}}"
)


def claim(town: Any, name: str = "data", **fields: Any) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "disks",
        "resources": {"requests": {"storage": "1Gi"}},
        **fields,
    }
    metadata = {"name": name, "namespace": "default"}
    internal_client.create(
        town.world, "persistentvolumeclaims", {"metadata": metadata, "spec": spec}
    )


def volume(town: Any, driver: str = DRIVER) -> None:
    """A volume `pv` of a driver, and the claim `data` bound to it."""
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
        "csi": {"driver": driver, "volumeHandle": "d1"},
        "storageClassName": "",
    }
    internal_client.create(
        town.world, "persistentvolumes", {"metadata": {"name": "pv"}, "spec": spec}
    )
    claim(town, storageClassName="", volumeName="pv")
    town.run(2)


def use(town: Any, name: str = "app", on: str = "", claimed: str = "data") -> None:
    place = f"nodeSelector: {{kubernetes.io/hostname: {on}}}," if on else ""
    town.pod(POD % (place, claimed), name)


def attachments(town: Any) -> list[tuple[str, str, bool]]:
    return sorted(
        (
            entry["spec"]["source"]["persistentVolumeName"],
            entry["spec"]["nodeName"],
            entry["status"]["attached"],
        )
        for entry in town.world.store.list(ATTACHMENTS, "")
    )


def node_status(town: Any, name: str) -> Object:
    status: Object = town.world.store.get(Key("nodes", "", name))["status"]
    return {field: status.get(field) for field in ("volumesAttached", "volumesInUse")}


def test_a_volume_is_attached_to_the_node_of_its_pod_and_let_go_with_it(town: Any) -> None:
    install(town.world, Driver(DRIVER))
    volume(town)
    use(town, on="node1")
    town.run(1)
    assert attachments(town) == [("pv", "node1", False)]
    assert town.status()["phase"] == "Pending"
    town.run(5)
    (attachment,) = town.world.store.list(ATTACHMENTS, "")
    digest = sha256(f"d1{DRIVER}node1".encode()).hexdigest()
    assert (attachment["metadata"]["name"], attachment["metadata"]["finalizers"]) == (
        f"csi-{digest}",
        ["external-attacher/disks-csi-example-com"],
    )
    assert attachments(town) == [("pv", "node1", True)]
    unique = f"kubernetes.io/csi/{DRIVER}^d1"
    assert node_status(town, "node1") == {
        "volumesAttached": [{"name": unique, "devicePath": ""}],
        "volumesInUse": [unique],
    }
    said = town.events("SuccessfulAttachVolume", "FailedAttachVolume", "FailedMount")
    text = 'AttachVolume.Attach succeeded for volume "pv" '
    assert (town.status()["phase"], said) == ("Running", [("SuccessfulAttachVolume", text, 1)])
    internal_client.delete(town.world, Key("pods", "default", "app"))
    town.run(40)
    assert (attachments(town), node_status(town, "node1")) == (
        [],
        {"volumesAttached": None, "volumesInUse": None},
    )


def test_a_volume_in_use_on_one_node_is_not_attached_to_another(town: Any) -> None:
    install(town.world, Driver(DRIVER))
    volume(town)
    use(town, "one", "node1")
    town.run(8)
    use(town, "two", "node2")
    town.run(30)
    text = 'Multi-Attach error for volume "pv" Volume is already used by pod(s) one'
    assert town.events("FailedAttachVolume") == [("FailedAttachVolume", text, 1)]
    assert town.status("two")["phase"] == "Pending"
    internal_client.delete(town.world, Key("pods", "default", "one"))
    town.run(120)
    assert (town.status("two")["phase"], attachments(town)) == ("Running", [("pv", "node2", True)])


def test_the_volumes_of_a_silent_node_are_let_go_after_six_minutes(town: Any) -> None:
    install(town.world, Driver(DRIVER))
    volume(town)
    use(town, "one", "node1")
    town.run(8)
    power_off(town.world, "node1")
    town.run(60)
    internal_client.delete(town.world, Key("pods", "default", "one"), grace_s=0)
    use(town, "two", "node2")
    town.run(300)
    text = (
        'Multi-Attach error for volume "pv" Volume is already exclusively attached to one node and '
        "can't be attached to another"
    )
    assert town.events("FailedAttachVolume") == [("FailedAttachVolume", text, 1)]
    town.run(200)
    assert (attachments(town), town.status("two")["phase"]) == (
        [("pv", "node2", True)],
        "Running",
    )


@pytest.mark.parametrize(
    ("installed", "why", "times"),
    [
        (
            False,
            f"timed out waiting for external-attacher of {DRIVER} CSI driver to attach volume d1",
            2,
        ),
        (True, f"CSINode node1 does not contain driver {DRIVER}", 10),
    ],
)
def test_a_volume_that_nobody_attaches(town: Any, installed: bool, why: str, times: int) -> None:
    if installed:
        install(town.world, Driver(DRIVER))
        found = town.world.store.get(Key(CSI_NODES, "", "node1"))
        internal_client.update(town.world, CSI_NODES, {**found, "spec": {"drivers": None}})
    volume(town)
    use(town, on="node1")
    town.run(300)
    text = f'AttachVolume.Attach failed for volume "pv" : {why}'
    assert town.events("FailedAttachVolume") == [("FailedAttachVolume", text, times)]
    assert town.status()["phase"] == "Pending"


def test_a_driver_that_attaches_nothing_has_to_be_known_to_the_kubelet(town: Any) -> None:
    spec = {"attachRequired": False}
    declared = {"metadata": {"name": DRIVER}, "spec": spec}
    internal_client.create(town.world, "csidrivers.storage.k8s.io", declared)
    volume(town)
    use(town)
    town.run(1)
    text = (
        'MountVolume.MountDevice failed for volume "pv" : kubernetes.io/csi: attacher.MountDevice '
        f"failed to create newCsiDriverClient: driver name {DRIVER} not found in the list of "
        "registered CSI drivers"
    )
    assert town.events("FailedMount") == [("FailedMount", text, 2)]
    assert attachments(town) == []


def test_a_node_takes_as_many_volumes_as_its_csinode_says(town: Any) -> None:
    install(town.world, Driver(DRIVER, volumes_per_node=1))
    for name in ("one", "two", "three", "four"):
        claim(town, name)
        use(town, name, claimed=name)
        town.run(10)
    phases = [town.status(name)["phase"] for name in ("one", "two", "three", "four")]
    assert phases == ["Running", "Running", "Running", "Pending"]
    text = (
        "0/3 nodes are available: 3 node(s) exceed max volume count. no new claims to deallocate, "
        "preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
    )
    assert town.events("FailedScheduling") == [("FailedScheduling", text, 1)]
    internal_client.delete(town.world, Key("pods", "default", "two"))
    town.run(60)
    assert town.status("four")["phase"] == "Running"


def test_a_node_that_joins_has_the_drivers_of_the_others(town: Any) -> None:
    install(town.world, Driver(DRIVER, volumes_per_node=7))
    add_node(town.world, NodeSpec("late"))
    found = town.world.store.get(Key(CSI_NODES, "", "late"))
    assert found["spec"]["drivers"] == [
        {"name": DRIVER, "nodeID": "late", "topologyKeys": None, "allocatable": {"count": 7}}
    ]


def grow(town: Any, size: str) -> None:
    found = town.world.store.get(Key("persistentvolumeclaims", "default", "data"))
    spec = {**found["spec"], "resources": {"requests": {"storage": size}}}
    internal_client.update(town.world, "persistentvolumeclaims", {**found, "spec": spec})


def of_claim(town: Any) -> tuple[str, list[str], Any]:
    status = town.world.store.get(Key("persistentvolumeclaims", "default", "data"))["status"]
    conditions = [entry["type"] for entry in status.get("conditions", ())]
    return status["capacity"]["storage"], conditions, status.get("allocatedResourceStatuses")


def test_a_claim_grows_step_by_step(town: Any) -> None:
    install(town.world, Driver(DRIVER))
    claim(town)
    use(town)
    town.run(15)
    grow(town, "2Gi")
    town.run(0.5)
    assert of_claim(town) == ("1Gi", ["Resizing"], {"storage": "ControllerResizeInProgress"})
    town.run(1.5)
    assert of_claim(town) == (
        "1Gi",
        ["FileSystemResizePending"],
        {"storage": "NodeResizePending"},
    )
    town.run(2)
    assert of_claim(town) == ("2Gi", [], None)
    (made,) = town.world.store.list("persistentvolumes", "")
    name = made["metadata"]["name"]
    node = town.world.store.get(Key("pods", "default", "app"))["spec"]["nodeName"]
    assert made["spec"]["capacity"] == {"storage": "2Gi"}
    done = f'MountVolume.NodeExpandVolume succeeded for volume "{name}" {node}'
    assert town.events(
        *("ExternalExpanding", "Resizing", "FileSystemResizeRequired"), "FileSystemResizeSuccessful"
    ) == [
        ("ExternalExpanding", "waiting for an external controller to expand this PVC", 1),
        ("FileSystemResizeRequired", "Require file system resize of volume on node", 1),
        ("FileSystemResizeSuccessful", done, 1),
        ("FileSystemResizeSuccessful", done, 1),
        ("Resizing", f"External resizer is resizing volume {name}", 1),
    ]


def test_a_volume_that_nobody_mounts_waits_for_a_node_to_grow_its_files(town: Any) -> None:
    install(town.world, Driver(DRIVER))
    claim(town)
    use(town)
    town.run(15)
    internal_client.delete(town.world, Key("pods", "default", "app"))
    town.run(40)
    grow(town, "2Gi")
    town.run(60)
    assert of_claim(town)[:2] == ("1Gi", ["FileSystemResizePending"])
    use(town)
    town.run(10)
    assert of_claim(town) == ("2Gi", [], None)


def test_volumes_of_a_driver_go_with_their_claims(town: Any) -> None:
    install(town.world, Driver(DRIVER))
    claim(town)
    use(town)
    town.run(15)
    internal_client.delete(town.world, Key("persistentvolumeclaims", "default", "data"))
    internal_client.delete(town.world, Key("pods", "default", "app"))
    town.run(60)
    assert list(town.world.store.list("persistentvolumes", "")) == []


def test_a_cluster_is_given_with_a_driver() -> None:
    spec = ClusterSpec(seed=1, options={"storage-driver": DRIVER})
    cluster = Embedded().provision(spec)
    found = [
        (entry["metadata"]["name"], entry["provisioner"])
        for entry in cluster.list("storage.k8s.io/v1", "StorageClass")
    ]
    assert found == [("disks", DRIVER), ("standard", "rancher.io/local-path")]
