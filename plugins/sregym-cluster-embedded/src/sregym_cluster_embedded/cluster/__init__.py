"""The embedded cluster as SREGym's core sees it."""

from __future__ import annotations

from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster
from sregym_cluster_embedded.cluster.provider import Embedded

__all__ = ["Embedded", "EmbeddedCluster"]
