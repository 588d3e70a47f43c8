"""Entry point of the plugin: tools of observability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_tools() -> Sequence[Registration]:
    """What a session has besides kubectl, in the order in which models are told of them."""
    return [
        Registration("query_metrics", "sregym_tools_observability.tools:QueryMetrics"),
        Registration("query_metrics_range", "sregym_tools_observability.tools:QueryMetricsRange"),
        Registration("list_metrics", "sregym_tools_observability.tools:ListMetrics"),
        Registration("alerts", "sregym_tools_observability.tools:Alerts"),
        Registration("query_logs", "sregym_tools_observability.tools:QueryLogs"),
        Registration("log_labels", "sregym_tools_observability.tools:LogLabels"),
        Registration("list_services", "sregym_tools_observability.tools:ListServices"),
        Registration("search_traces", "sregym_tools_observability.tools:SearchTraces"),
        Registration("get_trace", "sregym_tools_observability.tools:GetTrace"),
        Registration(
            "service_dependencies", "sregym_tools_observability.tools:ServiceDependencies"
        ),
    ]
