"""What telemetry offers, and under which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import ServiceKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue

EXPORTERS: ServiceKey[Catalogue] = ServiceKey("exporters")
