"""What the exporter says of CouchDB servers."""

from __future__ import annotations

from sregym_cluster_embedded.sdk.exporters import (
    DONE,
    Measure,
    Store,
    StoreExporter,
    by,
    gauge,
    gauges,
    memory,
    total,
)

_READS, _WRITES = ("find", "get"), ("insert", "update")
MEASURES: tuple[Measure, ...] = (
    gauge("couchdb_httpd_node_up", "Is the node available.", 1.0),
    gauge("couchdb_httpd_requests", "number of HTTP requests", total(*_READS, *_WRITES, "delete")),
    gauges("couchdb_httpd_request_methods", "number of HTTP requests by method", by("method", {"GET": total(*_READS), "POST": total("insert"), "PUT": total("update"), "DELETE": total("delete")})),
    gauges("couchdb_httpd_status_codes", "number of HTTP responses by status code", by("code", {"200": total(*_READS, outcome=DONE), "201": total(*_WRITES, outcome=DONE)})),
    gauge("couchdb_httpd_database_reads", "number of times a document was read from a database", total(*_READS)),
    gauge("couchdb_httpd_database_writes", "number of times a database was changed", total(*_WRITES, "delete")),
    gauge("couchdb_httpd_clients_connections", "number of open connections of clients", lambda store: store.callers),
    gauge("couchdb_erlang_memory_bytes", "total memory of the Erlang virtual machine in bytes", memory),
    gauge("couchdb_uptime_seconds", "seconds since the server started", Store.uptime),
)  # fmt: skip

EXPORTER = StoreExporter(
    ("couchdb",),
    "couchdb-exporter",
    ("couchdb_httpd_up", "Was the last query of CouchDB successful."),
    MEASURES,
)
