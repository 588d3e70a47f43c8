"""Metrics and alerts as a model reads them: one line a series."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ToolError, clock_time

from sregym_tools_observability.service_queries import moment, query_service, window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import ToolContext

    from sregym_tools_observability import arguments

POINTS = 30
SHORTEST_STEP_S = 15.0
MOST_POINTS = 11_000


def query_metrics(context: ToolContext, given: arguments.QueryMetrics) -> str:
    """An instant query."""
    at = moment(context, given.time)
    content = query_service(
        context, "prometheus", "/api/v1/query", [("query", given.query), ("time", f"{at:.3f}")]
    )
    return samples(content["data"], at)


def query_metrics_range(context: ToolContext, given: arguments.QueryMetricsRange) -> str:
    """A range query, its points in columns."""
    start, end = window(context, given.minutes, given.end)
    step = given.step_seconds or max(SHORTEST_STEP_S, math.ceil((end - start) / POINTS))
    if (end - start) / step > MOST_POINTS:
        msg = f"{(end - start) / step:.0f} points a series are too many; at most {MOST_POINTS}: choose a larger step_seconds"
        raise ToolError(msg)
    query = [
        ("query", given.query),
        ("start", f"{start:.3f}"),
        ("end", f"{end:.3f}"),
        ("step", f"{step:g}"),
    ]
    content = query_service(context, "prometheus", "/api/v1/query_range", query)
    return matrix(content["data"]["result"], start, end, step)


def list_metrics(context: ToolContext, given: arguments.ListMetrics) -> str:
    """Names of all metrics."""
    names = query_service(context, "prometheus", "/api/v1/label/__name__/values", [])["data"]
    wanted = [name for name in names if given.contains.lower() in name.lower()]
    if not wanted:
        return f"no metric out of {len(names)} has {given.contains!r} in its name"
    return "\n".join(wanted)


def alerts(context: ToolContext, _given: arguments.Alerts) -> str:
    """Alerts that are pending or firing: of Prometheus, and what others post to Alertmanager."""
    found = query_service(context, "prometheus", "/api/v1/alerts", [])["data"]["alerts"]
    found = [*found, *_posted(context, found)]
    if not found:
        return "no alert is pending or firing"
    order = {"firing": 0, "pending": 1}
    found = sorted(found, key=lambda alert: (order.get(alert["state"], 2), alert["activeAt"]))
    return "\n".join(_alert(alert) for alert in found)


def samples(data: Mapping[str, Any], at: float) -> str:
    """The result of an instant query: one line a series."""
    kind, result = data["resultType"], data["result"]
    if kind == "matrix":
        lines = []
        for series in result:
            values = " ".join(
                f"{number(value)}@{clock_time(float(when))}" for when, value in series["values"]
            )
            lines.append(f"{selector(series['metric'])}  {values}")
        return "\n".join(lines) or _nothing(at)
    if kind in ("scalar", "string"):
        value = result[1]
        return number(value) if kind == "scalar" else str(value)
    lines = [f"{selector(series['metric'])}  {number(series['value'][1])}" for series in result]
    return "\n".join(lines) or _nothing(at)


def matrix(result: Sequence[Mapping[str, Any]], start: float, end: float, step: float) -> str:
    """The result of a range query: a line that says the times, then one line a series."""
    if not result:
        return f"no series between {clock_time(start)} and {clock_time(end)}"
    count = math.floor((end - start) / step + 1e-9) + 1
    head = (
        f"{count} points from {clock_time(start)} every {step:g} s, the last at "
        f"{clock_time(start + (count - 1) * step)}; - is no sample, 1*5 is five times 1"
    )
    lines = [head]
    for series in result:
        points = ["-"] * count
        for when, value in series["values"]:
            index = round((float(when) - start) / step)
            if 0 <= index < count:
                points[index] = number(value)
        lines.append(f"{selector(series['metric'])}  {' '.join(_runs(points))}")
    return "\n".join(lines)


def selector(labels: Mapping[str, str]) -> str:
    """A series as PromQL writes it."""
    inner = ", ".join(f'{name}="{labels[name]}"' for name in sorted(labels) if name != "__name__")
    name = labels.get("__name__", "")
    return f"{name}{{{inner}}}" if inner or not name else name


def number(text: object) -> str:
    """A sample value; what is no whole number is rounded to six digits."""
    value = float(str(text))
    if not math.isfinite(value):
        return str(text)
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def _runs(points: list[str]) -> list[str]:
    runs: list[tuple[str, int]] = []
    for point in points:
        if runs and runs[-1][0] == point:
            runs[-1] = (point, runs[-1][1] + 1)
        else:
            runs.append((point, 1))
    return [
        item
        for point, times in runs
        for item in ([f"{point}*{times}"] if times > 2 else [point] * times)
    ]


def _posted(context: ToolContext, known: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Alerts that Alertmanager has of others, in the form of Prometheus; none where there is none."""
    try:
        told = query_service(context, "alertmanager", "/api/v2/alerts", [("active", "true")])
    except ToolError:
        return []
    return [
        {
            "labels": alert["labels"],
            "annotations": alert["annotations"],
            "state": "firing",
            "activeAt": alert["startsAt"],
        }
        for alert in told
        if alert["status"]["state"] == "active"
        # Prometheus adds labels of its own to what it sends.
        and not any(one["labels"].items() <= alert["labels"].items() for one in known)
    ]


def _alert(alert: Mapping[str, Any]) -> str:
    labels, notes = dict(alert["labels"]), alert.get("annotations", {})
    name = labels.pop("alertname", "")
    text = notes.get("summary") or notes.get("description") or notes.get("message") or ""
    said = f"{alert['state']:<8}{name}{selector(labels)} since {alert['activeAt']}"
    return f"{said}: {text}" if text else said


def _nothing(at: float) -> str:
    return f"no series at {clock_time(at)}"
