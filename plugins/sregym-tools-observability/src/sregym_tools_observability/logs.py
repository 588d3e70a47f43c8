"""Log lines as a model reads them: oldest first, labels that all streams share said once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sregym_core.cli import counted
from sregym_core.interfaces import clock_time

from sregym_tools_observability.metrics import SHORTEST_STEP_S, matrix, samples, selector
from sregym_tools_observability.service_queries import query_service, window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import ToolContext

    from sregym_tools_observability import arguments

LONGEST_LINE = 2_000


def query_logs(context: ToolContext, given: arguments.QueryLogs) -> str:
    """The newest lines of a window, or the series of a metric query."""
    start, end = window(context, given.minutes, given.end)
    step = max(SHORTEST_STEP_S, math.ceil((end - start) / 30))
    query = [
        ("query", given.query),
        ("start", str(int(start * 1e9))),
        ("end", str(int(end * 1e9))),
        ("limit", str(given.limit)),
        ("direction", "backward"),
        ("step", f"{step:g}"),
    ]
    data = query_service(context, "loki", "/loki/api/v1/query_range", query)["data"]
    if data["resultType"] == "streams":
        return _lines(data["result"], start, end, given.limit)
    if data["resultType"] == "matrix":
        return matrix(data["result"], start, end, step)
    return samples(data, end)


def log_labels(context: ToolContext, given: arguments.LogLabels) -> str:
    """Names of labels, or the values of one."""
    path = f"/loki/api/v1/label/{given.label}/values" if given.label else "/loki/api/v1/labels"
    found = query_service(context, "loki", path, []).get("data") or []
    if not found:
        return f"label {given.label!r} has no values" if given.label else "no labels"
    return "\n".join(found)


def _lines(streams: Sequence[Mapping[str, Any]], start: float, end: float, limit: int) -> str:
    entries = [
        (int(entry[0]), position, stream["stream"], str(entry[1]))
        for position, stream in enumerate(streams)
        for entry in stream["values"]
    ]
    if not entries:
        return f"no lines between {clock_time(start)} and {clock_time(end)}"
    entries.sort(key=lambda entry: entry[:2])
    shared = _shared([stream["stream"] for stream in streams])
    count = counted(len(entries), "line")
    if len(entries) >= limit:
        count = (
            f"the newest {counted(len(entries), 'line')} (limit={limit}; there may be older ones)"
        )
    head = f"{count}, oldest first; all have {selector(shared)}"
    lines = [head]
    for when, _, labels, text in entries:
        own = {name: value for name, value in labels.items() if name not in shared}
        mark = f" {selector(own)}" if own else ""
        if len(text) > LONGEST_LINE:
            text = f"{text[:LONGEST_LINE]}... ({len(text) - LONGEST_LINE} characters more)"
        lines.append(f"{_precise(when)}{mark} {text.rstrip()}")
    return "\n".join(lines)


def _shared(labels: Sequence[Mapping[str, str]]) -> dict[str, str]:
    first, *others = labels
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def _precise(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{clock_time(seconds)[:-1]}.{rest // 1_000_000:03d}Z"
