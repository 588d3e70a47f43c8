"""What people and tools can observe: logs, metrics, traces, alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.keys import METRICS
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.telemetry.keys import EXPORTERS
from sregym_cluster_embedded.telemetry.logs import Telemetry
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.querying import Querying
from sregym_cluster_embedded.userland.keys import QUERYING, TELEMETRY
from sregym_cluster_embedded.userland.kinds import with_in_tree

if TYPE_CHECKING:
    from sregym_apps.simulation import Installed

__all__ = ["Telemetry", "subsystem"]


def subsystem(extensions: Installed | None = None) -> Subsystem:
    """The rooms `telemetry`, `querying` and `exporters`.

    Args:
        extensions: Extensions with the exporters; what is installed unless given.
    """
    querying = Querying()
    services = {
        **TELEMETRY.offer(Telemetry()),
        **QUERYING.offer(querying),
        **METRICS.offer(querying),
        **EXPORTERS.offer(Catalogue(with_in_tree(extensions))),
    }
    return Subsystem(name="telemetry", services=services)
