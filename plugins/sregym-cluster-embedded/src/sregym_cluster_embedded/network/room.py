"""The network's part of a cluster."""

from __future__ import annotations

from sregym_cluster_embedded.contribution import Contribution


def contribution() -> Contribution:
    """What this room adds to a cluster."""
    return Contribution(name="network")
