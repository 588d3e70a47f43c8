"""Loki's HTTP API: shapes, times in all their forms, limits, and refusals in its words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_cluster_embedded.world import World

TICKER = '{app="ticker"}'


def test_a_log_query(world: World, get: Any) -> None:
    end = str(world.epoch + 1000)
    given = (("query", f'{TICKER} |= "tick 3"'), ("limit", "2"), ("end", end))
    response = get("/loki/api/v1/query_range", *given)
    content = json.loads(response.body)
    assert response.content_type == "application/json; charset=UTF-8"
    assert content["status"] == "success"
    assert content["data"]["stats"]["summary"]["totalEntriesReturned"] == 2
    assert content["data"]["resultType"] == "streams"
    (row,) = content["data"]["result"]
    assert [text for _, text in row["values"]] == ["worker: tick 36", "worker: tick 35"]
    assert all(len(at) == 19 for at, _ in row["values"])


def test_an_instant_metric_query(world: World, data: Any) -> None:
    at = world.epoch + int(world.now)
    found = data("query", ("query", f"sum(count_over_time({TICKER}[1m]))"), ("time", str(at)))
    assert found["resultType"] == "vector"
    assert found["result"] == [{"metric": {}, "value": [at, "12"]}]


def test_a_scalar(world: World, data: Any) -> None:
    at = world.epoch + 60
    found = data("query", ("query", "1 + 1"), ("time", str(at)))
    assert (found["resultType"], found["result"]) == ("scalar", [at, "2"])


def test_a_range_metric_query_goes_by_whole_steps(world: World, data: Any) -> None:
    start = world.epoch // 60 * 60
    given = (("start", str(start + 61)), ("end", str(start + 185)), ("step", "60"))
    found = data("query_range", ("query", f"sum(count_over_time({TICKER}[1m]))"), *given)
    assert found["resultType"] == "matrix"
    assert [at for at, _ in found["result"][0]["values"]] == [start + 120, start + 180]


def test_labels_values_and_series(data: Any) -> None:
    names = ["app", "container", "job", "namespace", "node_name", "pod", "service_name", "stream"]
    assert data("labels") == names
    assert data("label") == names
    assert data("label/pod/values", ("query", '{namespace="default"}')) == ["flaky", "gone", "worker"]  # fmt: skip
    assert data("label/nope/values") == {"status": "success"}
    pods = data("series", ("match[]", '{pod="gone"}'), ("match[]", '{app=~"tick.*"}'))
    assert [row["pod"] for row in pods] == ["gone", "worker"]


def test_forms_and_gets_are_the_same(get: Any) -> None:
    given = (("query", TICKER), ("limit", "1"))
    one, other = (get("/loki/api/v1/query_range", *given, method=m) for m in ("GET", "POST"))
    assert one == other


def test_statistics_and_volume(world: World, data: Any, lines: Any) -> None:
    texts = lines(TICKER)
    size = sum(map(len, texts))
    found = data("index/stats", ("query", TICKER))
    assert found == {"streams": 1, "chunks": 1, "bytes": size, "entries": len(texts)}
    (row,) = data("index/volume", ("query", TICKER))["result"]
    assert (row["metric"], row["value"][1]) == ({"app": "ticker"}, str(size))


def test_state_and_version(get: Any) -> None:
    ready = get("/ready")
    assert (ready.status, ready.body) == (200, b"ready\n")
    assert json.loads(get("/loki/api/v1/status/buildinfo").body)["version"] == "3.5.3"
    assert get("/nowhere").status == 404
    assert get("/loki/api/v1/labels", method="DELETE").status == 405


@pytest.mark.parametrize("form", ["seconds", "fraction", "nanoseconds", "rfc3339", "since"])
def test_times_in_all_forms(world: World, lines: Any, form: str) -> None:
    """The last minute but one, however it is said."""
    now = world.epoch + int(world.now)
    start, end = now - 120, now - 60
    forms = {
        "seconds": (("start", str(start)), ("end", str(end))),
        "fraction": (("start", f"{start}.0"), ("end", f"{end}.0")),
        "nanoseconds": (("start", f"{start}000000000"), ("end", f"{end}000000000")),
        "rfc3339": (
            ("start", world.timestamp(int(world.now) - 120)),
            ("end", world.timestamp(int(world.now) - 60)),
        ),
        "since": (("since", "1m"), ("end", str(end))),
    }
    assert len(lines(TICKER, *forms[form])) == 12


REFUSALS = [
    ("query_range", {"query": "{app="}, 'parse error at line 1, col 6: syntax error: unexpected $end, expecting STRING'),
    ("query", {"query": TICKER}, "log queries are not supported as an instant query type, please change your query to a range query type"),
    ("query", {"query": ""}, "parse error at line 1, col 1: syntax error: unexpected $end"),
    ("query", {"query": "vector(1)", "time": "noon"}, 'strconv.ParseInt: parsing "noon": invalid syntax'),
    ("query_range", {"query": TICKER, "limit": "5001"}, "max entries limit per query exceeded, limit > max_entries_limit_per_query (5001 > 5000)"),
    ("query_range", {"query": TICKER, "limit": "0"}, "limit must be a positive value"),
    ("query_range", {"query": TICKER, "limit": "few"}, 'strconv.Atoi: parsing "few": invalid syntax'),
    ("query_range", {"query": TICKER, "direction": "up"}, "invalid direction 'up'"),
    ("query_range", {"query": TICKER, "start": "2", "end": "1"}, "end timestamp must not be before or equal to start time"),
    ("query_range", {"query": TICKER, "start": "x"}, "could not parse 'start' parameter: strconv.ParseInt: parsing \"x\": invalid syntax"),
    ("query_range", {"query": TICKER, "end": "x"}, "could not parse 'end' parameter: strconv.ParseInt: parsing \"x\": invalid syntax"),
    ("query_range", {"query": TICKER, "since": "x"}, "could not parse 'since' parameter: not a valid duration string: \"x\""),
    ("query_range", {"query": "vector(1)", "step": "0"}, "zero or negative query resolution step widths are not accepted. Try a positive integer"),
    ("query_range", {"query": "vector(1)", "step": "1e30"}, 'cannot parse "1e30" to a valid duration. It overflows int64'),
    ("query_range", {"query": "vector(1)", "step": "nan"}, 'cannot parse "nan" to a valid duration'),
    ("query", {"query": "vector(1)", "time": "99999999999999999999"}, 'strconv.ParseInt: parsing "99999999999999999999": value out of range'),
    ("query", {"query": "vector(1)", "time": "1e400.0"}, 'strconv.ParseInt: parsing "1e400.0": invalid syntax'),
    ("query", {"query": "vector(1)", "time": "2026-13-01T00:00:00Z"}, 'strconv.ParseInt: parsing "2026-13-01T00:00:00Z": invalid syntax'),
    ("query", {"query": "rate({a=`b`}[1000y])"}, "parse error at line 0, col 13: duration out of range"),
    ("query", {"query": "rate({a=`b`}[1m] offset 1000y)"}, "parse error : duration out of range"),
    ("query_range", {"query": "vector(1)", "step": "x"}, 'cannot parse "x" to a valid duration'),
    ("query_range", {"query": "vector(1)", "start": "0", "end": "20000", "step": "1"}, "exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter"),
    ("query_range", {"query": TICKER, "start": "0", "end": "2595601"}, "the query time range exceeds the limit (query length: 721h0m1s, limit: 30d1h)"),
    ("series", {}, "0 matcher groups supplied"),
    ("series", {"match[]": '{a="b"} |= "x"'}, "only label matchers are supported"),
    ("labels", {"query": "vector(1)"}, "only label matchers are supported"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "query", "words"), REFUSALS)
def test_refusals(get: Any, path: str, query: dict[str, str], words: str) -> None:
    response = get(f"/loki/api/v1/{path}", *query.items())
    assert response.status == 400
    assert response.content_type == "text/plain; charset=utf-8"
    assert response.body.decode() == f"{words}\n"


def test_statistics_tell_what_was_looked_at(get: Any, lines: Any) -> None:
    texts = lines(TICKER)
    given = (("query", f'{TICKER} |= "tick 3"'), ("limit", "5000"))
    stats = json.loads(get("/loki/api/v1/query_range", *given).body)["data"]["stats"]
    returned = sum("tick 3" in text for text in texts)
    size = sum(map(len, texts))
    took_s = round(0.0021 + len(texts) * 3.5e-6, 6)
    assert stats["summary"] == {
        "bytesProcessedPerSecond": round(size / (0.0021 + len(texts) * 3.5e-6)),
        "linesProcessedPerSecond": round(len(texts) / (0.0021 + len(texts) * 3.5e-6)),
        "totalBytesProcessed": size,
        "totalLinesProcessed": len(texts),
        "execTime": took_s,
        "queueTime": 0.000112,
        "subqueries": 0,
        "totalEntriesReturned": returned,
        "splits": 1,
        "shards": 0,
        "totalPostFilterLines": len(texts),
        "totalStructuredMetadataBytesProcessed": 0,
    }
    assert list(stats) == ["summary", "querier", "ingester", "cache", "index"]
    assert stats["ingester"]["store"]["chunk"]["headChunkLines"] == len(texts)


def test_volume_over_time(world: World, data: Any, lines: Any) -> None:
    now = world.epoch + int(world.now)
    given = (("query", TICKER), ("start", str(now - 120)), ("end", str(now)), ("step", "60"))
    found = data("index/volume_range", *given)
    assert found["resultType"] == "matrix"
    (row,) = found["result"]
    sizes = [
        sum(map(len, lines(TICKER, ("start", str(now - back)), ("end", str(now - back + 60)))))
        for back in (120, 60)
    ]
    assert row["metric"] == {"app": "ticker"}
    assert [at for at, _ in row["values"]] == [now - 60, now]
    assert sum(int(size) for _, size in row["values"]) == pytest.approx(sum(sizes), abs=40)


def test_volume_by_names_of_labels(data: Any, lines: Any) -> None:
    size = sum(map(len, lines(TICKER)))
    given = (("query", TICKER), ("aggregateBy", "labels"), ("targetLabels", "pod,app"))
    for path in ("index/volume", "index/volume_range"):
        found = data(path, *given, ("step", "3600"))
        rows = [(row["metric"], row["value"][1]) for row in found["result"]]
        assert (found["resultType"], rows) == ("vector", [({"app": ""}, str(size)), ({"pod": ""}, str(size))])  # fmt: skip


def test_labels_and_fields_are_detected(data: Any) -> None:
    labels = {
        row["label"]: row["cardinality"]
        for row in data("detected_labels", ("query", '{namespace="default"}'))["detectedLabels"]
    }
    assert labels == {"app": 3, "container": 1, "job": 3, "namespace": 1, "node_name": 3, "pod": 3, "service_name": 3, "stream": 2}  # fmt: skip
    query = ("query", f'{TICKER} |= ": tick" | pattern "<who>: tick <n>"')
    assert data("detected_fields", query) == {
        "fields": [
            {"label": "who", "type": "string", "cardinality": 1, "parsers": None},
            {"label": "n", "type": "int", "cardinality": 36, "parsers": None},
        ],
        "limit": 1000,
    }
    assert data("detected_field/who/values", query) == {"values": ["worker"], "limit": 1000}
    assert data("detected_field/nope/values", query) == {"limit": 1000}
    assert data("detected_fields", query, ("limit", "1"), ("line_limit", "2"))["fields"] == [
        {"label": "who", "type": "string", "cardinality": 1, "parsers": None}
    ]


def test_patterns_are_off(get: Any) -> None:
    assert (get("/loki/api/v1/patterns", ("query", TICKER)).status) == 404


def test_queries_are_formatted(get: Any) -> None:
    kind = "application/json; charset=utf-8"
    good = get("/loki/api/v1/format_query", ("query", 'sum(rate({a="b"}|="c"[1m]))by(d)'))
    assert (good.status, good.content_type) == (200, kind)
    assert good.body == (
        b'{"status":"success","data":"sum by (d)(rate({a=\\"b\\"} |= \\"c\\"[1m]))"}\n'
    )
    bad = get("/loki/api/v1/format_query", ("query", "{"))
    assert (bad.status, bad.content_type) == (400, kind)
    assert bad.body == (
        b'{"status":"invalid-query","error":"parse error at line 1, col 2: syntax error: '
        b'unexpected $end, expecting IDENTIFIER or }"}\n'
    )
