"""The life of pods on their nodes, from admission to removal."""

from __future__ import annotations

from sregym_cluster_embedded.kubelet.subsystem import subsystem

__all__ = ["subsystem"]
