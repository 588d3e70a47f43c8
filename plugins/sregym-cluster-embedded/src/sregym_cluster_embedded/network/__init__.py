"""Names, services and connections, derived from API objects at the moment of use."""

from __future__ import annotations

from sregym_cluster_embedded.network.subsystem import subsystem

__all__ = ["subsystem"]
