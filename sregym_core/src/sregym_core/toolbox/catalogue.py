"""All tools of a session by name, and how those that only observe are answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.interfaces import Tool, ToolGroup
from sregym_core.toolbox import arguments, logs, metrics, office, traces
from sregym_core.toolbox.desk import Output, ToolError

if TYPE_CHECKING:
    from sregym_core.toolbox.desk import Desk

Observer = Callable[..., Output]


@dataclass(frozen=True)
class _Entry:
    """A tool before its schema is made: `observe` is None where the session itself acts."""

    group: ToolGroup
    given: type[arguments.Arguments]
    description: str
    observe: Observer | None = None


_ENTRIES: Mapping[str, _Entry] = {
    "kubectl": _Entry(
        ToolGroup.CLUSTER,
        arguments.Kubectl,
        "Run one kubectl command with the rights of an engineer on call and return what it prints.",
    ),
    "wait": _Entry(
        ToolGroup.CLUSTER,
        arguments.Wait,
        "Let time pass, for a rollout or for new measurements.",
    ),
    "query_metrics": _Entry(
        ToolGroup.METRICS,
        arguments.QueryMetrics,
        "Evaluate a PromQL expression at one moment. One line a series.",
        metrics.query_metrics,
    ),
    "query_metrics_range": _Entry(
        ToolGroup.METRICS,
        arguments.QueryMetricsRange,
        "Evaluate a PromQL expression over a window. One line a series, its points in order.",
        metrics.query_metrics_range,
    ),
    "list_metrics": _Entry(
        ToolGroup.METRICS, arguments.ListMetrics, "List names of metrics.", metrics.list_metrics
    ),
    "alerts": _Entry(
        ToolGroup.METRICS,
        arguments.Alerts,
        "List the alerts that are pending or firing now.",
        metrics.alerts,
    ),
    "query_logs": _Entry(
        ToolGroup.LOGS,
        arguments.QueryLogs,
        "Search the logs of all containers with LogQL. The newest lines of a window, oldest first; a metric query gives one line a series.",
        logs.query_logs,
    ),
    "log_labels": _Entry(
        ToolGroup.LOGS,
        arguments.LogLabels,
        "List the labels that LogQL can select by, or the values of one.",
        logs.log_labels,
    ),
    "list_services": _Entry(
        ToolGroup.TRACES,
        arguments.ListServices,
        "List the services that send traces.",
        traces.list_services,
    ),
    "search_traces": _Entry(
        ToolGroup.TRACES,
        arguments.SearchTraces,
        "Find traces of a service. One line a trace, the newest first.",
        traces.search_traces,
    ),
    "get_trace": _Entry(
        ToolGroup.TRACES,
        arguments.GetTrace,
        "Show all spans of one trace as a tree, with durations and errors.",
        traces.get_trace,
    ),
    "service_dependencies": _Entry(
        ToolGroup.TRACES,
        arguments.ServiceDependencies,
        "List which services call which, as traces show it.",
        traces.service_dependencies,
    ),
    "status": _Entry(
        ToolGroup.SUBMISSION,
        arguments.Arguments,
        "Say which submission comes next, what time it is and how much of the budget is left.",
    ),
    "submit": _Entry(
        ToolGroup.SUBMISSION,
        arguments.Submit,
        "Hand in what comes next: a diagnosis, or word that the repair is done; status says which. Each counts once and cannot be taken back.",
    ),
}
# Those of a session with documents and a channel.
_ON_CALL: Mapping[str, _Entry] = {
    "read_document": _Entry(
        ToolGroup.CLUSTER,
        arguments.ReadDocument,
        "Read the handbook for those on call, or the runbook of a component; without a name, list them.",
        office.read_document,
    ),
    "post_update": _Entry(
        ToolGroup.SUBMISSION,
        arguments.PostUpdate,
        "Post an update to the channel of the incident, for users and colleagues.",
        office.post_update,
    ),
}
_CHANGING = ("kubectl", "submit", "post_update")


def _schema(given: type[arguments.Arguments]) -> dict[str, Any]:
    made = given.model_json_schema()
    properties = {
        name: {key: value for key, value in about.items() if key != "title"}
        for name, about in made.get("properties", {}).items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if made.get("required"):
        schema["required"] = made["required"]
    return {**schema, "additionalProperties": False}


@cache
def _tools(on_call: bool) -> tuple[Tool, ...]:
    entries = {**_ENTRIES, **_ON_CALL} if on_call else _ENTRIES
    return tuple(
        Tool(name, entry.group, entry.description, _schema(entry.given), name not in _CHANGING)
        for name, entry in entries.items()
    )


def tools(*, on_call: bool = False) -> tuple[Tool, ...]:
    """All tools, with their schemas; with `on_call`, those for documents and channel, too."""
    return _tools(on_call)


def validated(name: str, given: Mapping[str, object]) -> arguments.Arguments:
    """The arguments of a call, with types and defaults.

    Raises:
        ToolError: There is no such tool, or an argument is wrong.
    """
    entry = _ENTRIES.get(name) or _ON_CALL.get(name)
    if entry is None:
        raise ToolError(f"there is no tool {name!r}; there are: {', '.join(_ENTRIES)}")
    try:
        return entry.given.model_validate(dict(given))
    except ValidationError as error:
        wrong = "; ".join(_complaint(detail) for detail in error.errors())
        known = ", ".join(entry.given.model_fields) or "no arguments"
        raise ToolError(f"{name}: {wrong}; it takes: {known}") from error


def answer(name: str, desk: Desk, given: arguments.Arguments) -> Output:
    """What a tool that only observes has to say; failures are an output too."""
    observe = (_ENTRIES.get(name) or _ON_CALL[name]).observe
    assert observe is not None, f"{name} is the session's own"
    try:
        return observe(desk, given)
    except ToolError as error:
        return Output(str(error), ok=False)


def _complaint(detail: Any) -> str:
    place = ".".join(map(str, detail["loc"])) or "arguments"
    return f"argument {place!r}: {detail['msg']}"
