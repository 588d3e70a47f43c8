"""The objects of a CSI driver, as its manifests and the kubelets make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import storage_drivers
from sregym_cluster_embedded.api import internal_client

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def install(world: World, driver: storage_drivers.Driver) -> None:
    """Put a CSI driver onto all nodes, with a StorageClass of its name."""
    storage_drivers.note(world, driver)
    declared = {
        "metadata": {"name": driver.name},
        "spec": {
            "attachRequired": driver.attach_required,
            "fsGroupPolicy": "File",
            "podInfoOnMount": False,
            "volumeLifecycleModes": ["Persistent"],
        },
    }
    internal_client.create(world, storage_drivers.CSI_DRIVERS, declared)
    for found in list(world.store.list(storage_drivers.CSI_NODES, "")):
        entry = storage_drivers.registration(driver, found["metadata"]["name"])
        present: list[Object] = found["spec"].get("drivers") or []
        spec = {**found["spec"], "drivers": [*present, entry]}
        internal_client.update(world, storage_drivers.CSI_NODES, {**found, "spec": spec})
    made: Object = {
        "metadata": {"name": driver.name.partition(".")[0]},
        "provisioner": driver.name,
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    if driver.expands:
        made["allowVolumeExpansion"] = True
    internal_client.create(world, "storageclasses.storage.k8s.io", made)
