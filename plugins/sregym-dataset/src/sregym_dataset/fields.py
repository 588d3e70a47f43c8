"""Where the fields of other data sets for root cause analysis stand in a case."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Field of the other one -> `TABLE.COLUMN` here, or `labels:PATH`, `graph:PATH` in the files of JSON.
OPENRCA: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "record": {
            "level": "labels:level",
            "component": "labels:root_causes.component",
            "reason": "labels:root_causes.reason",
            "timestamp": "labels:injected_at",
        },
        "metric": {
            "timestamp": "metrics.timestamp",
            "cmdb_id": "metrics.component",
            "kpi_name": "metrics.metric",
            "value": "metrics.value",
        },
        "trace": {
            "timestamp": "traces.timestamp",
            "cmdb_id": "traces.component",
            "trace_id": "traces.trace_id",
            "span_id": "traces.span_id",
            "parent_span": "traces.parent_id",
            "duration": "traces.duration_us",
            "operation_name": "traces.operation",
            "status_code": "traces.failed",
        },
        "log": {
            "timestamp": "logs.timestamp",
            "cmdb_id": "logs.component",
            "log_name": "logs.container",
            "value": "logs.line",
        },
        "injection": {
            "fault": "labels:faults.fault",
            "targets": "labels:faults.targets",
            "start": "labels:periods.abnormal.start",
            "end": "labels:periods.abnormal.end",
        },
        "causal graph": {
            "nodes": "graph:nodes.component",
            "source": "graph:edges.cause",
            "target": "graph:edges.effect",
        },
    }
)
ITBENCH: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ground truth": {
            "root cause kind": "labels:root_causes.kind",
            "root cause name": "labels:root_causes.name",
            "root cause namespace": "labels:root_causes.namespace",
            "fault": "labels:root_causes.changed.what",
            "alerts": "labels:alerts",
            "propagation source": "graph:edges.cause",
            "propagation target": "graph:edges.effect",
        },
        "snapshot": {
            "metric": "metrics.metric",
            "log": "logs.line",
            "span": "traces.span_id",
            "event": "events.reason",
            "object": "objects.object",
        },
    }
)
