"""CSI drivers that run in a cluster: what they can do, and which nodes they have registered with.

Below all layers: the scheduler counts volumes of a node, controllers attach, make and expand them,
kubelets mount them. A driver that is not installed is a name in a volume, and nothing answers for
it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str, Driver] = TableKey("storage.drivers")
ATTACHMENTS = "volumeattachments.storage.k8s.io"
CSI_NODES = "csinodes.storage.k8s.io"
CSI_DRIVERS = "csidrivers.storage.k8s.io"


class Driver(NamedTuple):
    """A CSI driver that runs in the cluster, with its provisioner, attacher and resizer.

    Attributes:
        name: E.g. `disks.csi.example.com`.
        attach_required: Whether its volumes are attached to a node before they are mounted there.
        volumes_per_node: How many volumes a node takes; None when that is not limited.
        expands: Whether its volumes can grow.
    """

    name: str
    attach_required: bool = True
    volumes_per_node: int | None = None
    expands: bool = True


def note(world: World, driver: Driver) -> None:
    """Keep in mind that a driver runs in the cluster."""
    world.table(_TABLE)[driver.name] = driver


def running(world: World, name: str) -> Driver | None:
    """The driver of that name, or None when it is not installed."""
    found: Driver | None = world.table(_TABLE).get(name)
    return found


def installed(world: World) -> list[Driver]:
    """All drivers, by name."""
    return [driver for _, driver in sorted(world.table(_TABLE).items())]


def registration(driver: Driver, node: str) -> Object:
    """What a CSINode says of a driver on its node."""
    entry: Object = {"name": driver.name, "nodeID": node, "topologyKeys": None}
    if driver.volumes_per_node is not None:
        entry["allocatable"] = {"count": driver.volumes_per_node}
    return entry


def registered(world: World, node: str, name: str) -> Object | None:
    """What the CSINode of a node says of a driver, or None."""
    found = world.store.get(Key(CSI_NODES, "", node))
    for entry in ((found or {}).get("spec") or {}).get("drivers") or ():
        if entry["name"] == name:
            driver: Object = entry
            return driver
    return None


def needs_attachment(world: World, driver: str) -> bool:
    """Whether volumes of a driver have to be attached; so it is unless its CSIDriver denies it."""
    declared = world.store.get(Key(CSI_DRIVERS, "", driver))
    return declared is None or bool(declared["spec"].get("attachRequired", True))


def attachment_key(volume: Object, node: str) -> Key:
    """The VolumeAttachment of a PersistentVolume of a CSI driver to a node."""
    csi = volume["spec"]["csi"]
    told = f"{csi['volumeHandle']}{csi['driver']}{node}".encode()
    return Key(ATTACHMENTS, "", f"csi-{sha256(told).hexdigest()}")


def is_attached(world: World, volume: Object, node: str) -> bool:
    """Whether a PersistentVolume of a CSI driver is attached to a node."""
    found = world.store.get(attachment_key(volume, node))
    return found is not None and bool((found.get("status") or {}).get("attached"))


def unique_name(volume: Object) -> str:
    """The volume as status.volumesAttached of a node names it."""
    csi = volume["spec"]["csi"]
    return f"kubernetes.io/csi/{csi['driver']}^{csi['volumeHandle']}"
