"""For tests of extensions: containers and clusters to try them on, and the contracts they keep."""

from __future__ import annotations

from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount
from sregym_cluster_embedded.sdk.testing.cluster import ClusterTestbed
from sregym_cluster_embedded.sdk.testing.commands import ContainerCommandContract
from sregym_cluster_embedded.sdk.testing.containers import ContainerTestbed
from sregym_cluster_embedded.sdk.testing.contract import ExtensionContract
from sregym_cluster_embedded.sdk.testing.exporters import ExporterContract
from sregym_cluster_embedded.sdk.testing.operators import OperatorContract
from sregym_cluster_embedded.sdk.testing.servers import ServerContract

__all__ = [
    "ClusterTestbed",
    "ContainerCommandContract",
    "ContainerTestbed",
    "ExitState",
    "ExporterContract",
    "ExtensionContract",
    "Mount",
    "OperatorContract",
    "ServerContract",
]
