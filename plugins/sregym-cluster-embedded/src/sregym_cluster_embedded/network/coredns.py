"""What each running CoreDNS has loaded: the table `network.corefiles`.

The process itself, which reads its Corefile when it starts and again when `reload` finds it changed,
belongs to a higher layer; it tells here what it has loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network import cache, corefile
from sregym_cluster_embedded.network.keys import KUBELETS
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.outcomes import Backend
    from sregym_cluster_embedded.store import Change
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str, str] = TableKey("network.corefiles")


def load(world: World, pod_uid: str, text: str) -> None:
    """A name server in a pod has loaded this Corefile."""
    world.table(_TABLE)[pod_uid] = text
    cache.clear(world)


def unload(world: World, pod_uid: str) -> None:
    """The name server in a pod has ended."""
    if world.table(_TABLE).pop(pod_uid, None) is not None:
        cache.clear(world)


def loaded(world: World, pod_uid: str) -> tuple[corefile.ServerBlock, ...]:
    """The Corefile that the name server in a pod answers by.

    Of one that has not said what it loaded: the file that its volume shows.
    """
    text: str | None = world.table(_TABLE).get(pod_uid)
    if text is None:
        kubelet = world.service(KUBELETS)
        text = kubelet.mounted_files(world, pod_uid).get("Corefile", "")
    return corefile.parse(text)


def key_of(backend: Backend) -> Key:
    """The pod of a name server."""
    return Key("pods", backend.namespace, backend.pod)


def follow(world: World, change: Change) -> None:
    """Forget what a pod that is gone had loaded."""
    if change.type == "DELETED" and (table := world.table(_TABLE)):
        table.pop(change.obj["metadata"]["uid"], None)
