"""Entry point of the plugin: tools of observability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_tools() -> Sequence[Offer]:
    """What a session has besides kubectl, in the order in which models are told of them."""
    return [
        Offer("query_metrics", "sregym_tools_observability.tools:QueryMetrics"),
        Offer("query_metrics_range", "sregym_tools_observability.tools:QueryMetricsRange"),
        Offer("list_metrics", "sregym_tools_observability.tools:ListMetrics"),
        Offer("alerts", "sregym_tools_observability.tools:Alerts"),
        Offer("query_logs", "sregym_tools_observability.tools:QueryLogs"),
        Offer("log_labels", "sregym_tools_observability.tools:LogLabels"),
        Offer("list_services", "sregym_tools_observability.tools:ListServices"),
        Offer("search_traces", "sregym_tools_observability.tools:SearchTraces"),
        Offer("get_trace", "sregym_tools_observability.tools:GetTrace"),
        Offer("service_dependencies", "sregym_tools_observability.tools:ServiceDependencies"),
    ]
