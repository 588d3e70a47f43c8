"""Metrics and log lines that are computed from history when queried.

An exporter is an instance of `Exporter`. `StoreExporter` is for a kind of server: families made
of what traffic did, each with a `Measure` (`counter`, `gauge`, `counters`, `gauges`). `ObjectExporter`
is for a resource of the API: families made of what its objects say (`of_objects`). A `background`
function gives the lines that a server writes by itself. Neither keeps state: the same question has
the same answer on every copy of a world.
"""

from __future__ import annotations

from sregym_promql.storage import Floats

from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.full_scans import Searching, searches_since, searching
from sregym_cluster_embedded.telemetry.metrics.exporters.objects import ObjectExporter, of_objects
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.exporter import StoreExporter
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.measures import (
    MIB,
    Figure,
    Measure,
    Said,
    Saying,
    by,
    by_command,
    counter,
    counters,
    gauge,
    gauges,
    memory,
    memory_mib,
    received,
    sent,
    total,
)
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.store import (
    DONE,
    FAILED,
    MISS,
    Store,
)
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Pairs,
    Row,
    Steps,
    Target,
    Value,
)
from sregym_cluster_embedded.telemetry.metrics.pods import Scraped, container_targets
from sregym_cluster_embedded.telemetry.metrics.queues import ConsumedRecords, Lag, Offset, starts
from sregym_cluster_embedded.telemetry.metrics.view import (
    INSTANCES,
    INSTANCES_IN_ORDER,
    MESSAGES,
    View,
)
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet, cpu, end_of
from sregym_cluster_embedded.traffic.segments import QUEUES, QueueSegment, queue_segments
from sregym_cluster_embedded.world import World

__all__ = [
    "DONE",
    "FAILED",
    "INSTANCES",
    "INSTANCES_IN_ORDER",
    "MESSAGES",
    "MIB",
    "MISS",
    "QUEUES",
    "ConsumedRecords",
    "ContainerInstance",
    "Exporter",
    "Family",
    "Figure",
    "Floats",
    "Lag",
    "Measure",
    "ObjectExporter",
    "Offset",
    "Pairs",
    "QueueSegment",
    "Row",
    "Said",
    "Saying",
    "Scraped",
    "Searching",
    "Steps",
    "Store",
    "StoreExporter",
    "Target",
    "Value",
    "View",
    "WorkingSet",
    "World",
    "by",
    "by_command",
    "container_targets",
    "counter",
    "counters",
    "cpu",
    "end_of",
    "gauge",
    "gauges",
    "instances",
    "memory",
    "memory_mib",
    "of_objects",
    "queue_segments",
    "received",
    "searches_since",
    "searching",
    "sent",
    "starts",
    "total",
]
