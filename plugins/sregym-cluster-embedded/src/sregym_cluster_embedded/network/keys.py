"""What the network asks of higher layers, what it offers, and under which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sregym_cluster_embedded.keys import ServiceKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.subsystem import Network
    from sregym_cluster_embedded.world import World


class Kubelets(Protocol):
    """What the network asks of the kubelets."""

    def touch_pod(self, world: World, pod_uid: str) -> None:
        """All processes of a pod may answer their probes differently from now on."""

    def mounted_files(self, world: World, pod_uid: str) -> dict[str, str]:
        """All ConfigMap files in a pod's volumes, by file name."""


class RequestFlow(Protocol):
    """Who derives what requests meet."""

    def changed(self, world: World) -> None:
        """Something that requests depend on has changed."""


KUBELETS: ServiceKey[Kubelets] = ServiceKey("kubelet")
REQUEST_FLOW: ServiceKey[RequestFlow] = ServiceKey("traffic")
NETWORK: ServiceKey[Network] = ServiceKey("network")
