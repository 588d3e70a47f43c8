"""What people and tools can observe; logs so far."""

from __future__ import annotations

from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.telemetry.logs import Telemetry

__all__ = ["Telemetry", "contribution"]


def contribution() -> Contribution:
    """The room `telemetry`."""
    return Contribution(name="telemetry", rooms={"telemetry": Telemetry()})
