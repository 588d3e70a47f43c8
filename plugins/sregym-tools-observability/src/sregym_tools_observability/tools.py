"""The tools: their names, what a model is told of them, and who answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import SessionTool, ToolArguments, ToolGroup

from sregym_tools_observability import arguments, logs, metrics, traces

if TYPE_CHECKING:
    from sregym_core.interfaces import ToolContext


class QueryMetrics(SessionTool):
    """Tool `query_metrics`."""

    name: ClassVar[str] = "query_metrics"
    group: ClassVar[ToolGroup] = ToolGroup.METRICS
    description: ClassVar[str] = "Evaluate a PromQL expression at one moment. One line a series."
    Arguments: ClassVar[type[ToolArguments]] = arguments.QueryMetrics

    def respond(self, context: ToolContext, given: arguments.QueryMetrics) -> str:
        """As a model reads it."""
        return metrics.query_metrics(context, given)


class QueryMetricsRange(SessionTool):
    """Tool `query_metrics_range`."""

    name: ClassVar[str] = "query_metrics_range"
    group: ClassVar[ToolGroup] = ToolGroup.METRICS
    description: ClassVar[str] = (
        "Evaluate a PromQL expression over a window. One line a series, its points in order."
    )
    Arguments: ClassVar[type[ToolArguments]] = arguments.QueryMetricsRange

    def respond(self, context: ToolContext, given: arguments.QueryMetricsRange) -> str:
        """As a model reads it."""
        return metrics.query_metrics_range(context, given)


class ListMetrics(SessionTool):
    """Tool `list_metrics`."""

    name: ClassVar[str] = "list_metrics"
    group: ClassVar[ToolGroup] = ToolGroup.METRICS
    description: ClassVar[str] = "List names of metrics."
    Arguments: ClassVar[type[ToolArguments]] = arguments.ListMetrics

    def respond(self, context: ToolContext, given: arguments.ListMetrics) -> str:
        """As a model reads it."""
        return metrics.list_metrics(context, given)


class Alerts(SessionTool):
    """Tool `alerts`."""

    name: ClassVar[str] = "alerts"
    group: ClassVar[ToolGroup] = ToolGroup.METRICS
    description: ClassVar[str] = "List the alerts that are pending or firing now."
    Arguments: ClassVar[type[ToolArguments]] = arguments.Alerts

    def respond(self, context: ToolContext, given: arguments.Alerts) -> str:
        """As a model reads it."""
        return metrics.alerts(context, given)


class QueryLogs(SessionTool):
    """Tool `query_logs`."""

    name: ClassVar[str] = "query_logs"
    group: ClassVar[ToolGroup] = ToolGroup.LOGS
    description: ClassVar[str] = (
        "Search the logs of all containers with LogQL. The newest lines of a window, oldest first; a metric query gives one line a series."
    )
    Arguments: ClassVar[type[ToolArguments]] = arguments.QueryLogs

    def respond(self, context: ToolContext, given: arguments.QueryLogs) -> str:
        """As a model reads it."""
        return logs.query_logs(context, given)


class LogLabels(SessionTool):
    """Tool `log_labels`."""

    name: ClassVar[str] = "log_labels"
    group: ClassVar[ToolGroup] = ToolGroup.LOGS
    description: ClassVar[str] = "List the labels that LogQL can select by, or the values of one."
    Arguments: ClassVar[type[ToolArguments]] = arguments.LogLabels

    def respond(self, context: ToolContext, given: arguments.LogLabels) -> str:
        """As a model reads it."""
        return logs.log_labels(context, given)


class ListServices(SessionTool):
    """Tool `list_services`."""

    name: ClassVar[str] = "list_services"
    group: ClassVar[ToolGroup] = ToolGroup.TRACES
    description: ClassVar[str] = "List the services that send traces."
    Arguments: ClassVar[type[ToolArguments]] = arguments.ListServices

    def respond(self, context: ToolContext, given: arguments.ListServices) -> str:
        """As a model reads it."""
        return traces.list_services(context, given)


class SearchTraces(SessionTool):
    """Tool `search_traces`."""

    name: ClassVar[str] = "search_traces"
    group: ClassVar[ToolGroup] = ToolGroup.TRACES
    description: ClassVar[str] = "Find traces of a service. One line a trace, the newest first."
    Arguments: ClassVar[type[ToolArguments]] = arguments.SearchTraces

    def respond(self, context: ToolContext, given: arguments.SearchTraces) -> str:
        """As a model reads it."""
        return traces.search_traces(context, given)


class GetTrace(SessionTool):
    """Tool `get_trace`."""

    name: ClassVar[str] = "get_trace"
    group: ClassVar[ToolGroup] = ToolGroup.TRACES
    description: ClassVar[str] = "Show all spans of one trace as a tree, with durations and errors."
    Arguments: ClassVar[type[ToolArguments]] = arguments.GetTrace

    def respond(self, context: ToolContext, given: arguments.GetTrace) -> str:
        """As a model reads it."""
        return traces.get_trace(context, given)


class ServiceDependencies(SessionTool):
    """Tool `service_dependencies`."""

    name: ClassVar[str] = "service_dependencies"
    group: ClassVar[ToolGroup] = ToolGroup.TRACES
    description: ClassVar[str] = "List which services call which, as traces show it."
    Arguments: ClassVar[type[ToolArguments]] = arguments.ServiceDependencies

    def respond(self, context: ToolContext, given: arguments.ServiceDependencies) -> str:
        """As a model reads it."""
        return traces.service_dependencies(context, given)
