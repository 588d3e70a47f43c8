"""What each tool is called with. Descriptions are read by language models."""

from __future__ import annotations

from pydantic import Field
from sregym_core.interfaces import PagedArguments

_END = "Time at which the window ends, as 2026-01-31T12:00:00Z. Empty: now."


class QueryMetrics(PagedArguments):
    """Arguments of `query_metrics`."""

    query: str = Field(description="A PromQL expression.")
    time: str = Field(
        default="", description="Evaluation time, as 2026-01-31T12:00:00Z. Empty: now."
    )


class QueryMetricsRange(PagedArguments):
    """Arguments of `query_metrics_range`."""

    query: str = Field(description="A PromQL expression.")
    minutes: float = Field(default=30.0, gt=0, le=10080, description="Length of the window.")
    end: str = Field(default="", description=_END)
    step_seconds: float = Field(
        default=0.0, ge=0, description="Distance of the points. 0: about thirty points."
    )


class ListMetrics(PagedArguments):
    """Arguments of `list_metrics`."""

    contains: str = Field(
        default="", description="Only names with this text in them, whatever its case."
    )


class Alerts(PagedArguments):
    """Arguments of `alerts`."""


class QueryLogs(PagedArguments):
    """Arguments of `query_logs`."""

    query: str = Field(
        description='A LogQL expression, e.g. {namespace="shop", container="cart"} |= "error".'
    )
    minutes: float = Field(default=15.0, gt=0, le=10080, description="Length of the window.")
    end: str = Field(default="", description=_END)
    limit: int = Field(
        default=100, ge=1, le=5000, description="At most this many lines, the newest of the window."
    )


class LogLabels(PagedArguments):
    """Arguments of `log_labels`."""

    label: str = Field(
        default="", description="A label's name: its values are listed. Empty: all names."
    )


class ListServices(PagedArguments):
    """Arguments of `list_services`."""


class SearchTraces(PagedArguments):
    """Arguments of `search_traces`."""

    service: str = Field(description="Name of a service, as list_services gives it.")
    operation: str = Field(default="", description="Only traces with this operation.")
    minutes: float = Field(default=15.0, gt=0, le=10080, description="Length of the window.")
    end: str = Field(default="", description=_END)
    min_duration_ms: float = Field(
        default=0.0, ge=0, description="Only traces with a span as long."
    )
    errors_only: bool = Field(default=False, description="Only traces with a failed span.")
    limit: int = Field(default=20, ge=1, le=1000, description="At most this many traces.")


class GetTrace(PagedArguments):
    """Arguments of `get_trace`."""

    trace_id: str = Field(description="Id of a trace, as search_traces gives it.")


class ServiceDependencies(PagedArguments):
    """Arguments of `service_dependencies`."""

    minutes: float = Field(default=30.0, gt=0, le=10080, description="Length of the window.")
