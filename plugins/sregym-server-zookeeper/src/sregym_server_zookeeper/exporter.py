"""What the exporter says of ZooKeeper servers."""

from __future__ import annotations

from sregym_cluster_embedded.sdk.exporters import (
    Measure,
    Store,
    StoreExporter,
    gauge,
    memory,
    total,
)

_ALL = ("delete", "get", "put", "set")
MEASURES: tuple[Measure, ...] = (
    gauge("zk_ruok", "Whether the server says that it is running in a state without errors", 1.0),
    gauge("zk_server_leader", "Whether the server leads; one that is alone does", 1.0),
    gauge("zk_num_alive_connections", "Number of active clients connected to the server", lambda store: store.callers),
    gauge("zk_outstanding_requests", "Number of queued requests", 0.0),
    gauge("zk_packets_received", "Total number of packets received", total(*_ALL)),
    gauge("zk_packets_sent", "Total number of packets sent", total(*_ALL)),
    gauge("zk_approximate_data_size", "Size of the data in memory in bytes", memory),
    gauge("zk_uptime_seconds", "Seconds since the server started", Store.uptime),
)  # fmt: skip

EXPORTER = StoreExporter(
    ("zookeeper",),
    "zookeeper-exporter",
    ("zk_up", "Whether the server answers."),
    MEASURES,
)
