"""The nodes' part of a cluster."""

from __future__ import annotations

from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.node.heartbeats import fresh


def contribution() -> Contribution:
    """What this room adds to a cluster."""
    return Contribution(name="node", rooms={"heartbeats": fresh})
