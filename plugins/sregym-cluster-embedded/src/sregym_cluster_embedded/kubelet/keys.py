"""What the kubelet asks of higher layers, what it offers, and under which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import ServiceKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime
    from sregym_cluster_embedded.kubelet.static_pods import StaticPods
    from sregym_cluster_embedded.kubelet.subsystem import Kubelet
    from sregym_cluster_embedded.kubelet.usage import Storage

RUNTIME: ServiceKey[ContainerRuntime] = ServiceKey("runtime")
STORAGE: ServiceKey[Storage] = ServiceKey("storage")
KUBELET: ServiceKey[Kubelet] = ServiceKey("kubelet")
STATIC_PODS: ServiceKey[StaticPods] = ServiceKey("static_pods")
