"""Nodes and the objects every cluster begins with."""

from __future__ import annotations

from sregym_cluster_embedded.node.room import contribution

__all__ = ["contribution"]
