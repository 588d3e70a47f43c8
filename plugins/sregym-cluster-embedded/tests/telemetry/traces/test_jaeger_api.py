"""The HTTP APIs of Jaeger: whole answers."""

from __future__ import annotations

import json
from typing import Any

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.telemetry.traces.jaeger import answer

HEAD = {"total": 0, "limit": 0, "offset": 0}


def text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "type": "string", "value": value}


def test_services_and_operations(shop: Any) -> None:
    assert shop.ask_text("/api/services") == (
        200,
        '{"data":["price","stock","web"],"total":3,"limit":0,"offset":0,"errors":null}',
    )
    assert shop.ask_text("/api/services/stock/operations") == (
        200,
        '{"data":["/shop.Stock/Reserve","cache_get","mongo_find"],'
        '"total":3,"limit":0,"offset":0,"errors":null}',
    )
    assert shop.ask_text("/api/services/nobody/operations") == (
        200,
        '{"data":null,"total":0,"limit":0,"offset":0,"errors":null}',
    )
    assert shop.ask_text("/api/operations?service=price") == (
        200,
        '{"data":[{"name":"Quote","spanKind":"server"}],'
        '"total":1,"limit":0,"offset":0,"errors":null}',
    )
    assert shop.ask_text("/api/operations?service=stock&spanKind=server") == (
        200,
        '{"data":[{"name":"/shop.Stock/Reserve","spanKind":"server"}],'
        '"total":1,"limit":0,"offset":0,"errors":null}',
    )
    assert shop.ask_text("/api/v3/services") == (200, '{"services":["price","stock","web"]}')
    assert shop.ask_text("/api/v3/operations?service=price") == (
        200,
        '{"operations":[{"name":"Quote","spanKind":"server"}]}',
    )
    assert shop.ask_text("/api/v3/operations?service=nobody") == (200, "{}")


def test_a_trace(shop: Any) -> None:
    (found,) = shop.traces(service="web", operation="HTTP GET /browse", limit="1")
    identifier = found["traceID"]
    status, body = shop.ask_text(f"/api/traces/{identifier}")
    root, call, served = found["spans"]
    web, price = shop.ref("web"), shop.ref("price")
    pods = {
        pod["metadata"]["name"]: (pod["status"]["podIP"], pod["spec"]["nodeName"])
        for pod in shop.world.store.list("pods", "shop")
    }
    uuid = found["processes"]["p1"]["tags"][0]["value"]
    expected = {
        "traceID": identifier,
        "spans": [
            {
                "traceID": identifier,
                "spanID": identifier,
                "flags": 1,
                "operationName": "HTTP GET /browse",
                "references": [],
                "startTime": root["startTime"],
                "duration": root["duration"],
                "tags": [
                    text("sampler.type", "probabilistic"),
                    {"key": "sampler.param", "type": "float64", "value": 1},
                    text("span.kind", "server"),
                    text("http.method", "GET"),
                    text("http.url", "/browse"),
                    text("component", "net/http"),
                    {"key": "http.status_code", "type": "int64", "value": 200},
                    text("internal.span.format", "jaeger"),
                ],
                "logs": [],
                "processID": "p1",
                "warnings": None,
            },
            {
                "traceID": identifier,
                "spanID": call["spanID"],
                "flags": 1,
                "operationName": "/shop.Price/Quote",
                "references": [
                    {"refType": "CHILD_OF", "traceID": identifier, "spanID": identifier}
                ],
                "startTime": call["startTime"],
                "duration": call["duration"],
                "tags": [
                    text("span.kind", "client"),
                    text("component", "gRPC"),
                    text("internal.span.format", "jaeger"),
                ],
                "logs": [],
                "processID": "p1",
                "warnings": None,
            },
            {
                "traceID": identifier,
                "spanID": served["spanID"],
                "operationName": "Quote",
                "references": [
                    {"refType": "CHILD_OF", "traceID": identifier, "spanID": call["spanID"]}
                ],
                "startTime": served["startTime"],
                "duration": served["duration"],
                "tags": [
                    text("otel.scope.name", "grpc"),
                    text("rpc.system", "grpc"),
                    text("rpc.method", "Quote"),
                    {"key": "rpc.grpc.status_code", "type": "int64", "value": 0},
                    text("span.kind", "server"),
                    text("internal.span.format", "otlp"),
                ],
                "logs": [],
                "processID": "p2",
                "warnings": None,
            },
        ],
        "processes": {
            "p1": {
                "serviceName": "web",
                "tags": [
                    text("client-uuid", uuid),
                    text("hostname", web.pod),
                    text("ip", pods[web.pod][0]),
                    text("jaeger.version", "Go-2.11.2"),
                ],
            },
            "p2": {
                "serviceName": "price",
                "tags": [
                    text("host.name", price.pod),
                    text("k8s.namespace.name", "shop"),
                    text("k8s.node.name", pods[price.pod][1]),
                    text("k8s.pod.name", price.pod),
                    text("telemetry.sdk.language", "go"),
                    text("telemetry.sdk.name", "opentelemetry"),
                    text("telemetry.sdk.version", "1.26.0"),
                ],
            },
        },
        "warnings": None,
    }
    assert (status, json.loads(body)) == (200, {"data": [expected], **HEAD, "errors": None})


def test_a_trace_as_otlp(shop: Any) -> None:
    (found,) = shop.traces(service="web", operation="HTTP GET /browse", limit="1")
    _, _, served = found["spans"]
    status, body = shop.ask_text(f"/api/v3/traces/{found['traceID']}")
    groups = json.loads(body)["result"]["resourceSpans"]
    price = shop.ref("price").pod
    (node,) = [
        pod["spec"]["nodeName"]
        for pod in shop.world.store.list("pods", "shop")
        if pod["metadata"]["name"] == price
    ]
    start = served["startTime"] * 1000
    assert (status, groups[1]) == (
        200,
        {
            "resource": {
                "attributes": [
                    {"key": "service.name", "value": {"stringValue": "price"}},
                    {"key": "host.name", "value": {"stringValue": price}},
                    {"key": "k8s.namespace.name", "value": {"stringValue": "shop"}},
                    {"key": "k8s.node.name", "value": {"stringValue": node}},
                    {"key": "k8s.pod.name", "value": {"stringValue": price}},
                    {"key": "telemetry.sdk.language", "value": {"stringValue": "go"}},
                    {"key": "telemetry.sdk.name", "value": {"stringValue": "opentelemetry"}},
                    {"key": "telemetry.sdk.version", "value": {"stringValue": "1.26.0"}},
                ]
            },
            "scopeSpans": [
                {
                    "scope": {},
                    "spans": [
                        {
                            "traceId": found["traceID"].rjust(32, "0"),
                            "spanId": served["spanID"],
                            "parentSpanId": served["references"][0]["spanID"],
                            "name": "Quote",
                            "kind": 2,
                            "startTimeUnixNano": str(start),
                            "endTimeUnixNano": str(start + served["duration"] * 1000),
                            "attributes": [
                                {"key": "rpc.system", "value": {"stringValue": "grpc"}},
                                {"key": "rpc.method", "value": {"stringValue": "Quote"}},
                                {"key": "rpc.grpc.status_code", "value": {"intValue": "0"}},
                            ],
                            "status": {},
                        }
                    ],
                }
            ],
        },
    )


def test_searches_take_the_newest_that_fit_and_give_the_oldest_first(shop: Any) -> None:
    every = shop.traces(service="web")
    assert shop.traces(service="web", limit="7") == every[-7:]
    times = [trace["spans"][0]["startTime"] for trace in every]
    assert times == sorted(times)
    middle = str(times[len(times) // 2])
    later = shop.traces(service="web", operation="HTTP GET /buy", start=middle)
    assert {trace["spans"][0]["operationName"] for trace in later} == {"HTTP GET /buy"}
    assert min(trace["spans"][0]["startTime"] for trace in later) >= int(middle)
    long = shop.traces(service="web", minDuration="2.5ms", maxDuration="4ms")
    assert long
    assert all(any(2500 <= span["duration"] <= 4000 for span in trace["spans"]) for trace in long)
    expected = [
        trace["traceID"]
        for trace in every
        if any(
            2500 <= span["duration"] <= 4000
            and trace["processes"][span["processID"]]["serviceName"] == "web"
            for span in trace["spans"]
        )
    ]
    assert [trace["traceID"] for trace in long] == expected
    stored = shop.traces(service="stock", operation="mongo_find")
    assert [trace["traceID"] for trace in stored] == [
        trace["traceID"]
        for trace in every
        if any(span["operationName"] == "mongo_find" for span in trace["spans"])
    ]
    tagged = shop.traces(service="web", tag="http.url:/browse", tags='{"http.status_code":"200"}')
    assert {trace["spans"][0]["operationName"] for trace in tagged} == {"HTTP GET /browse"}
    assert shop.traces(service="nobody") == []


def test_traces_by_their_ids(shop: Any) -> None:
    (found,) = shop.traces(service="web", limit="1")
    status, body = shop.ask_text(f"/api/traces?traceID={found['traceID']}&traceID=abc")
    missing = {"msg": "trace not found", "traceID": "0000000000000abc"}
    assert (status, json.loads(body)) == (200, {"data": [found], **HEAD, "errors": [missing]})


def test_pretty_printing(shop: Any) -> None:
    assert shop.ask_text("/api/operations?service=nobody&prettyPrint=true") == (
        200,
        '{\n    "data": [],\n    "total": 0,\n    "limit": 0,\n    "offset": 0,\n'
        '    "errors": null\n}',
    )


def test_a_search_of_v3(shop: Any) -> None:
    status, body = shop.ask_text(
        "/api/v3/traces?query.service_name=price&query.start_time_min=2000-01-01T00:00:00Z"
        "&query.start_time_max=2100-01-01T00:00:00Z&query.num_traces=1"
    )
    names = [
        span["name"]
        for group in json.loads(body)["result"]["resourceSpans"]
        for scope in group["scopeSpans"]
        for span in scope["spans"]
    ]
    assert status == 200
    assert "Quote" in names


def test_other_paths_and_methods(shop: Any) -> None:
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Jaeger UI</title></head>'
        "<body><p>No user interface is installed.</p></body></html>"
    )
    for path in ("/", "/search", "/trace/1"):
        assert shop.ask_text(path) == (200, page)
    for path in ("/static/nothing", "/api/nothing", "/api/v3/nothing"):
        assert shop.ask_text(path) == (404, "404 page not found\n")
    assert answer(shop.world, Request("POST", "/api/services")).status == 405
    archived = answer(shop.world, Request("POST", "/api/archive/12ab"))
    assert (archived.status, json.loads(archived.body)["errors"]) == (
        500,
        [{"code": 500, "msg": "archive span storage was not configured"}],
    )
    refused = answer(shop.world, Request("POST", "/api/archive/xy"))
    assert (refused.status, json.loads(refused.body)["errors"]) == (
        400,
        [{"code": 400, "msg": 'strconv.ParseUint: parsing "xy": invalid syntax'}],
    )
