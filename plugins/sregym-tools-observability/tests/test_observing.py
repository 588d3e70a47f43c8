"""What a model reads of metrics, logs and traces, and what the services were asked for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.interfaces import ToolResult
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]
T = 1_767_225_600  # 2026-01-01T00:00:00Z


def ok(data: Any) -> tuple[int, Any]:
    return 200, {"status": "success", "data": data}


def test_an_instant_query(new_session: NewSession, services: Any) -> None:
    services.answers["/api/v1/query"] = ok(
        {
            "resultType": "vector",
            "result": [
                {"metric": {"__name__": "up", "job": "cart"}, "value": [T, "1"]},
                {"metric": {"job": "geo"}, "value": [T, "0.33333333333"]},
                {"metric": {}, "value": [T, "NaN"]},
                {"metric": {"__name__": "up"}, "value": [T, "1767225600123"]},
            ],
        }
    )
    arguments = {"query": "up", "time": "2026-01-01T00:00:00Z"}
    assert new_session().call("query_metrics", arguments) == ToolResult(
        'up{job="cart"}  1\n{job="geo"}  0.333333\n{}  NaN\nup  1767225600123'
    )
    assert services.asked == [("/api/v1/query", {"query": "up", "time": f"{T}.000"})]


@pytest.mark.parametrize(
    ("kind", "result", "text"),
    [
        ("scalar", [T, "0.33333333333"], "0.333333"),
        ("string", [T, "0.33333333333"], "0.33333333333"),
        (
            "matrix",
            [{"metric": {"a": "b"}, "values": [[T, "1"], [T + 30, "0.33333333333"]]}],
            '{a="b"}  1@2026-01-01T00:00:00Z 0.333333@2026-01-01T00:00:30Z',
        ),
        ("matrix", [], "no series at 2026-01-01T00:00:00Z"),
    ],
)
def test_other_results_of_instant_queries(
    new_session: NewSession, services: Any, kind: str, result: Any, text: str
) -> None:
    services.answers["/api/v1/query"] = ok({"resultType": kind, "result": result})
    assert new_session().call("query_metrics", {"query": "x", "time": str(T)}).text == text


def test_an_answer_that_is_no_json(new_session: NewSession, services: Any) -> None:
    services.answers["/api/v1/query"] = (200, "<html>")
    assert new_session().call("query_metrics", {"query": "up"}) == ToolResult(
        "prometheus answers with something that is not JSON: <html>", ok=False
    )


def test_a_range_query(new_session: NewSession, services: Any) -> None:
    values = [[T, "1"], [T + 60, "1"], [T + 120, "1"], [T + 240, "2.5"]]
    services.answers["/api/v1/query_range"] = ok(
        {"resultType": "matrix", "result": [{"metric": {"a": "b"}, "values": values}]}
    )
    arguments = {"query": "x", "minutes": 5, "end": str(T + 300), "step_seconds": 60}
    assert new_session().call("query_metrics_range", arguments).text == (
        "6 points from 2026-01-01T00:00:00Z every 60 s, the last at 2026-01-01T00:05:00Z; "
        '- is no sample, 1*5 is five times 1\n{a="b"}  1*3 - 2.5 -'
    )
    expected = {"query": "x", "start": f"{T}.000", "end": f"{T + 300}.000", "step": "60"}
    assert services.asked == [("/api/v1/query_range", expected)]


def test_a_range_with_too_many_points(new_session: NewSession) -> None:
    arguments = {"query": "x", "minutes": 10080, "step_seconds": 1}
    assert new_session().call("query_metrics_range", arguments) == ToolResult(
        "604800 points a series are too many; at most 11000: choose a larger step_seconds", ok=False
    )


def test_the_service_refuses_in_its_own_words(new_session: NewSession, services: Any) -> None:
    services.answers["/api/v1/query"] = (
        400,
        {"status": "error", "errorType": "bad_data", "error": "1:3: parse error: unexpected end"},
    )
    assert new_session().call("query_metrics", {"query": "a +"}) == ToolResult(
        "prometheus refuses (400): 1:3: parse error: unexpected end", ok=False
    )


def test_names_of_metrics(new_session: NewSession, services: Any) -> None:
    names = ["kube_pod_info", "node_load1", "kube_node_info"]
    services.answers["/api/v1/label/__name__/values"] = ok(names)
    session = new_session()
    assert (
        session.call("list_metrics", {"contains": "KUBE"}).text == "kube_pod_info\nkube_node_info"
    )
    assert session.call("list_metrics", {"contains": "zz"}).text == (
        "no metric out of 3 has 'zz' in its name"
    )


def test_alerts(new_session: NewSession, services: Any) -> None:
    def alert(name: str, state: str, **notes: str) -> dict[str, Any]:
        labels = {"alertname": name, "severity": "page"}
        since = "2026-01-01T00:00:00Z"
        return {"labels": labels, "annotations": notes, "state": state, "activeAt": since}

    services.answers["/api/v1/alerts"] = ok(
        {"alerts": [alert("Slow", "pending"), alert("Down", "firing", summary="cart is down")]}
    )
    assert new_session().call("alerts", {}).text == (
        'firing  Down{severity="page"} since 2026-01-01T00:00:00Z: cart is down\n'
        'pending Slow{severity="page"} since 2026-01-01T00:00:00Z'
    )
    services.answers["/api/v1/alerts"] = ok({"alerts": []})
    assert new_session().call("alerts", {}).text == "no alert is pending or firing"


def test_alerts_that_others_send(new_session: NewSession, services: Any) -> None:
    """Alertmanager has them; those of Prometheus, which it labels, are not told twice."""
    since = "2026-01-01T00:00:00Z"

    def sent(state: str, **labels: str) -> dict[str, Any]:
        status = {"state": state, "silencedBy": [], "inhibitedBy": []}
        return {"labels": labels, "annotations": {}, "startsAt": since, "status": status}

    own = {"labels": {"alertname": "Down"}, "state": "firing", "activeAt": since}
    services.answers["/api/v1/alerts"] = ok({"alerts": [own]})
    services.answers["/api/v2/alerts"] = (
        200,
        [
            sent("active", alertname="Down", prometheus="monitoring/k8s"),
            sent("active", alertname="Cost", service="cart"),
            sent("suppressed", alertname="Silenced"),
        ],
    )
    assert new_session().call("alerts", {}).text == (
        "firing  Down{} since 2026-01-01T00:00:00Z\n"
        'firing  Cost{service="cart"} since 2026-01-01T00:00:00Z'
    )


def test_log_lines(new_session: NewSession, services: Any) -> None:
    def stream(pod: str, *entries: tuple[int, str]) -> dict[str, Any]:
        labels = {"namespace": "shop", "pod": pod}
        return {"stream": labels, "values": [[str(when), text] for when, text in entries]}

    services.answers["/loki/api/v1/query_range"] = ok(
        {
            "resultType": "streams",
            "result": [
                stream("cart-0", (T * 10**9 + 1_500_000, "late\n"), (T * 10**9, "early")),
                stream("geo-0", (T * 10**9 + 1_000_000, "x" * 2_010)),
            ],
        }
    )
    arguments = {"query": '{namespace="shop"}', "end": str(T + 60), "minutes": 1, "limit": 3}
    assert new_session().call("query_logs", arguments).text == (
        "the newest 3 lines (limit=3; there may be older ones), oldest first; "
        'all have {namespace="shop"}\n'
        '2026-01-01T00:00:00.000Z {pod="cart-0"} early\n'
        f'2026-01-01T00:00:00.001Z {{pod="geo-0"}} {"x" * 2000}... (10 characters more)\n'
        '2026-01-01T00:00:00.001Z {pod="cart-0"} late'
    )
    [(path, query)] = services.asked
    assert path == "/loki/api/v1/query_range"
    assert query == {
        "query": '{namespace="shop"}',
        "start": f"{T}000000000",
        "end": f"{T + 60}000000000",
        "limit": "3",
        "direction": "backward",
        "step": "15",
    }


def test_labels_of_logs(new_session: NewSession, services: Any) -> None:
    services.answers["/loki/api/v1/labels"] = ok(["namespace", "pod"])
    services.answers["/loki/api/v1/label/pod/values"] = ok([])
    session = new_session()
    assert session.call("log_labels", {}).text == "namespace\npod"
    assert session.call("log_labels", {"label": "pod"}).text == "label 'pod' has no values"


def trace(*, failed: bool) -> dict[str, Any]:
    """A page that asks the cart, which asks its store."""

    def span(number: str, parent: str, process: str, start: int, **more: Any) -> dict[str, Any]:
        reference = {"refType": "CHILD_OF", "traceID": "abc", "spanID": parent}
        return {
            "traceID": "abc",
            "spanID": number,
            "processID": process,
            "references": [reference] if parent else None,
            "startTime": T * 10**6 + start,
            "logs": [],
            "tags": [],
            **more,
        }

    error = [{"key": "error", "type": "bool", "value": True}] if failed else []
    event = [{"key": "event", "value": "timeout"}]
    return {
        "traceID": "abc",
        "processes": {"p1": {"serviceName": "web"}, "p2": {"serviceName": "cart"}},
        "spans": [
            span("3", "2", "p2", 2_500, operationName="find", duration=1_000,
                 tags=[{"key": "db.system", "value": "mongodb"}], logs=[{"fields": event}]),
            span("1", "", "p1", 0, operationName="GET /", duration=12_345,
                 tags=[{"key": "http.status_code", "value": 500}, *error]),
            span("2", "1", "p2", 2_000, operationName="items", duration=9_000),
        ],
    }  # fmt: skip


def test_searching_traces(new_session: NewSession, services: Any) -> None:
    services.answers["/api/traces"] = (200, {"data": [trace(failed=True)]})
    session = new_session()
    arguments = {"service": "web", "end": str(T + 60), "minutes": 1, "errors_only": True}
    assert session.call("search_traces", {**arguments, "min_duration_ms": 5}).text == (
        "1 trace, newest first\n"
        "abc  2026-01-01T00:00:00Z  12.3 ms  web GET /  3 spans, 2 services, 1 failed"
    )
    assert services.asked == [
        (
            "/api/traces",
            {
                "service": "web",
                "start": f"{T}000000",
                "end": f"{T + 60}000000",
                "limit": "20",
                "minDuration": "5ms",
                "tags": '{"error":"true"}',
            },
        )
    ]
    services.answers["/api/traces"] = (200, {"data": []})
    assert session.call("search_traces", arguments).text == (
        "no traces of 'web' between 2026-01-01T00:00:00Z and 2026-01-01T00:01:00Z"
    )


def test_one_trace(new_session: NewSession, services: Any) -> None:
    services.answers["/api/traces/abc"] = (200, {"data": [trace(failed=True)]})
    session = new_session()
    assert session.call("get_trace", {"trace_id": "abc"}).text == (
        "trace abc at 2026-01-01T00:00:00Z, times in ms\n"
        "  start  duration  span\n"
        "    0.0      12.3  web GET / FAILED  [http.status_code=500]\n"
        "    2.0       9.0    cart items\n"
        "    2.5       1.0      cart find  [db.system=mongodb; event=timeout]"
    )
    services.answers["/api/traces/abd"] = (
        404,
        {"data": None, "errors": [{"code": 404, "msg": "trace not found"}]},
    )
    assert session.call("get_trace", {"trace_id": "abd"}) == ToolResult(
        "jaeger refuses (404): trace not found", ok=False
    )
    assert session.call("get_trace", {"trace_id": "../services"}) == ToolResult(
        "'../services' is no trace id; search_traces lists ids", ok=False
    )


def test_services_and_who_calls_whom(new_session: NewSession, services: Any) -> None:
    services.answers["/api/services"] = (200, {"data": ["web", "cart"]})
    edge = {"parent": "web", "child": "cart", "callCount": 12}
    services.answers["/api/dependencies"] = (200, {"data": [edge]})
    session = new_session()
    assert session.call("list_services", {}).text == "cart\nweb"
    assert session.call("service_dependencies", {}).text == "web -> cart  12 calls"


def test_a_time_that_is_none(new_session: NewSession) -> None:
    assert new_session().call("query_metrics", {"query": "up", "time": "noon"}) == ToolResult(
        "'noon' is no time; write it as 2026-01-31T12:00:00Z, or as seconds since the Unix epoch",
        ok=False,
    )


@pytest.mark.parametrize("tool", ["query_metrics", "alerts", "query_logs", "list_services"])
def test_a_cluster_without_the_service(new_session: NewSession, tool: str) -> None:
    session = new_session()
    session.watched.behind.observed.clear()
    arguments = {"query": "x"} if tool.startswith("query") else {}
    service = {"query_logs": "loki", "list_services": "jaeger"}.get(tool, "prometheus")
    assert session.call(tool, arguments) == ToolResult(
        f"this cluster offers no service {service!r}; it offers: none", ok=False
    )


def test_a_trace_that_is_not_there(new_session: NewSession, services: Any) -> None:
    services.answers["/api/traces/1a2b"] = (200, {"data": []})
    assert new_session().call("get_trace", {"trace_id": "1a2b"}) == ToolResult(
        "there is no trace '1a2b'", ok=False
    )
