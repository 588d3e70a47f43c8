"""Nodes and the objects every cluster begins with."""

from __future__ import annotations

from sregym_cluster_embedded.node.subsystem import subsystem

__all__ = ["subsystem"]
