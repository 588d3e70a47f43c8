"""What the servers of a TiDB cluster tell of themselves."""

from __future__ import annotations

from types import MappingProxyType

from sregym_cluster_embedded.sdk.exporters import (
    FAILED,
    Store,
    StoreExporter,
    by,
    by_command,
    counter,
    counters,
    gauge,
    total,
)

_WORDS = MappingProxyType({
    "find": "Select", "get": "Select", "query": "Select", "count": "Select", "select": "Select",
    "insert": "Insert", "set": "Update", "update": "Update", "delete": "Delete",
})  # fmt: skip
TIDB_EXPORTER = StoreExporter(
    ("tidb",),
    "tidb",
    ("tidb_up", "Whether the server answers."),
    (
        gauge("tidb_server_connections", "Number of connections.", lambda store: store.callers),
        counters("tidb_executor_statement_total", "Counter of StmtExecute.", by_command("type", _WORDS, "Delete", "Insert", "Select", "Update")),
        counters("tidb_server_query_total", "Counter of queries.", by("result", {"OK": total(), "Error": total(outcome=FAILED)})),
        counter("tidb_server_execute_error_total", "Counter of execute errors.", total(outcome=FAILED)),
        gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", Store.started),
    ),
)  # fmt: skip
TIKV_EXPORTER = StoreExporter(
    ("tikv",),
    "tikv",
    ("tikv_up", "Whether the server answers."),
    (
        gauge("tikv_server_is_busy", "Whether the server is busy.", 0.0),
        gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", Store.started),
    ),
)  # fmt: skip
PD_EXPORTER = StoreExporter(
    ("pd",),
    "pd",
    ("pd_up", "Whether the server answers."),
    (
        gauge("pd_server_info", "Indicate the pd server info, and the value is the start timestamp (s).", Store.started),
        gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", Store.started),
    ),
)  # fmt: skip
