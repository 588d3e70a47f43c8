"""The embedded cluster itself, for kinds of clusters that are one with something around it.

`Embedded` gives `EmbeddedCluster`s, as `--cluster embedded` does.
"""

from __future__ import annotations

from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster
from sregym_cluster_embedded.cluster.provider import Embedded

__all__ = ["Embedded", "EmbeddedCluster"]
