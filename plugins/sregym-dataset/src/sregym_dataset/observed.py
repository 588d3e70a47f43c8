"""What a cluster can be observed by, asked of its services as any client would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import Cluster

_NS = 1_000_000_000
# Loki gives so many lines at most; a span with as many is asked for in halves.
_MOST_LINES = 5000
_LOG_SPAN_S = 60.0
# Samples are asked for in spans of this length: an answer is one text in memory.
_METRIC_SPAN_S = 300.0
# Of each service at each look: collectors keep the newest alone, and all of them would be gigabytes.
_MOST_TRACES = 40

Row = dict[str, Any]


class Observed:
    """Asks one cluster.

    Args:
        cluster: Which.
        component: Gives the name of the component to which a pod belongs, or else a service.
    """

    def __init__(self, cluster: Cluster, component: Callable[[str, str], str]) -> None:
        self._cluster = cluster
        self._component = component
        self._seen: set[str] = set()
        self.spans: list[Row] = []

    def rows(self, table: str, start: float, end: float) -> list[Row]:
        """The rows of a table of telemetry, oldest first; none where the cluster has no such service.

        Args:
            table: `metrics` or `logs`.
            start: Seconds since 1970.
            end: The same; what is at that moment is not in the answer.
        """
        find = {"metrics": self._metrics, "logs": self._logs}[table]
        service = {"metrics": "prometheus", "logs": "loki"}[table]
        if service not in self._cluster.services:
            return []
        return sorted(find(start, end), key=lambda row: int(row["timestamp"]))

    def _metrics(self, start: float, end: float) -> Iterator[Row]:
        for first, last in _spans(start, end, _METRIC_SPAN_S):
            query = f'{{__name__=~".+"}}[{max(1, round((last - first) * 1000))}ms]'
            asked = [("query", query), ("time", f"{last:.3f}")]
            for series in self._ask("prometheus", "/api/v1/query", asked)["data"]["result"]:
                labels = dict(series["metric"])
                name = labels.pop("__name__")
                service = labels.get("service") or labels.get("deployment") or ""
                component = self._component(labels.get("pod", ""), service)
                text = json.dumps(labels, sort_keys=True)
                for at, value in series["values"]:
                    if first <= float(at) < last:
                        yield {
                            "timestamp": round(float(at) * 1000) * 1_000_000,
                            "component": component,
                            "metric": name,
                            "value": float(value),
                            "labels": text,
                        }

    def _logs(self, start: float, end: float) -> Iterator[Row]:
        for first, last in _spans(start, end, _LOG_SPAN_S):
            yield from self._lines(round(first * _NS), round(last * _NS))

    def _lines(self, first: int, last: int) -> list[Row]:
        asked = [
            *(("query", '{namespace=~".+"}'), ("limit", str(_MOST_LINES))),
            *(("start", str(first)), ("end", str(last)), ("direction", "forward")),
        ]
        rows = []
        for stream in self._ask("loki", "/loki/api/v1/query_range", asked)["data"]["result"]:
            labels: Mapping[str, str] = stream["stream"]
            pod = labels.get("pod", "")
            known = {
                "component": self._component(pod, labels.get("app", "")),
                "namespace": labels.get("namespace", ""),
                "pod": pod,
                "container": labels.get("container", ""),
                "stream": labels.get("stream", ""),
            }
            rows += [{"timestamp": int(at), **known, "line": line} for at, line in stream["values"]]
        if len(rows) >= _MOST_LINES and last - first > 1:
            middle = (first + last) // 2
            return [*self._lines(first, middle), *self._lines(middle, last)]
        return rows

    def look_at_traces(self, since: float) -> None:
        """Keep the newest traces of each service that began since a moment and were not kept before."""
        if "jaeger" not in self._cluster.services:
            return
        end = self._cluster.clock.now()
        for service in sorted(self._ask("jaeger", "/api/services", [])["data"] or []):
            asked = [
                *(("service", service), ("limit", str(_MOST_TRACES))),
                *(("start", str(round(since * 1e6))), ("end", str(round(end * 1e6)))),
            ]
            for trace in self._ask("jaeger", "/api/traces", asked)["data"] or []:
                if trace["traceID"] not in self._seen:
                    self._seen.add(trace["traceID"])
                    self.spans += self._spans(trace)

    def _spans(self, trace: Mapping[str, Any]) -> Iterator[Row]:
        for span in trace["spans"]:
            service = trace["processes"][span["processID"]]["serviceName"]
            tags = {tag["key"]: tag["value"] for tag in span["tags"]}
            parents = [one["spanID"] for one in span["references"] if one["refType"] == "CHILD_OF"]
            yield {
                "timestamp": int(span["startTime"]) * 1000,
                "duration_us": int(span["duration"]),
                "trace_id": trace["traceID"],
                "span_id": span["spanID"],
                "parent_id": parents[0] if parents else "",
                "component": self._component("", service),
                "service": service,
                "operation": span["operationName"],
                "failed": str(tags.get("error", "")).lower() == "true",
                "tags": json.dumps(tags, sort_keys=True),
            }

    def _ask(self, service: str, path: str, query: Sequence[tuple[str, str]]) -> Any:
        answer = self._cluster.observe(service, path, query)
        if answer.status != 200:
            text = answer.body.decode(errors="replace")[:200]
            msg = f"{service} answers {path} with {answer.status}: {text}"
            raise ClusterError(answer.status, "", msg)
        return json.loads(answer.body)


def _spans(start: float, end: float, length: float) -> Iterator[tuple[float, float]]:
    while start < end:
        last = min(start + length, end)
        yield start, last
        start = last
