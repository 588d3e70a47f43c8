"""What a Prometheus tells of its targets, its storage and itself, and what it refuses."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest
import yaml
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.telemetry.prometheus.cardinality import cardinality
from sregym_cluster_embedded.world import World
from sregym_promql.storage import labels_of

PLAIN = "text/plain; charset=utf-8"


@pytest.fixture(scope="module")
def world() -> World:
    made = build(Blueprint())
    made.run_until(300)
    return made


def asked(
    world: World, path: str, method: str = "GET", headers: dict[str, str] | None = None
) -> Response:
    path, _, query = path.partition("?")
    pairs = tuple(parse_qsl(query, keep_blank_values=True))
    return service("prometheus")(world, Request(method, path, pairs, headers or {}))


def data(world: World, path: str) -> Any:
    found = asked(world, f"/api/v1/{path}")
    assert (found.status, found.content_type) == (200, "application/json"), found.body
    return json.loads(found.body)["data"]


def error(world: World, path: str) -> tuple[int, Any]:
    found = asked(world, f"/api/v1/{path}")
    return found.status, json.loads(found.body)


def test_pools_are_those_of_targets_and_of_the_configuration(world: World) -> None:
    pools = data(world, "scrape_pools")["scrapePools"]
    targets = data(world, "targets")["activeTargets"]
    config = yaml.safe_load(data(world, "status/config")["yaml"])

    assert pools == sorted({target["scrapePool"] for target in targets})
    assert [job["job_name"] for job in config["scrape_configs"]] == pools
    assert config["global"] == {
        "scrape_interval": "15s",
        "scrape_timeout": "10s",
        "evaluation_interval": "30s",
    }
    of_one = data(world, "targets?scrapePool=etcd")["activeTargets"]
    assert of_one == [target for target in targets if target["scrapePool"] == "etcd"] != []
    assert data(world, "targets?scrapePool=none")["activeTargets"] == []


def test_metadata_is_of_the_metrics_that_are_there(world: World) -> None:
    names = set(data(world, "label/__name__/values"))
    known = data(world, "metadata")

    assert known["node_load1"] == [{"type": "gauge", "help": "1m load average.", "unit": ""}]
    assert "kafka_brokers" not in known
    assert all(name in names or f"{name}_count" in names for name in known)
    assert list(data(world, "metadata?limit=2")) == list(known)[:2]
    assert data(world, "metadata?metric=kafka_brokers") == {}


def test_metadata_by_target(world: World) -> None:
    labels = {"instance": "node1", "job": "node-exporter"}
    load = {"type": "gauge", "help": "1m load average.", "unit": ""}

    assert data(world, 'targets/metadata?metric=node_load1&match_target={instance="node1"}') == [
        {"target": labels, **load}
    ]
    every = data(world, 'targets/metadata?match_target={instance="node1"}')
    assert {"target": labels, "metric": "node_load1", **load} in every
    # Targets are told of wholly.
    assert data(world, 'targets/metadata?match_target={instance="node1"}&limit=1') == every
    assert data(world, "targets/metadata?limit=0") == []
    assert error(world, "targets/metadata?limit=x") == (
        400,
        {"status": "error", "errorType": "bad_data", "error": "limit must be a number"},
    )
    assert error(world, "targets/metadata?match_target={") == (
        400,
        {
            "status": "error",
            "errorType": "bad_data",
            "error": 'invalid parameter "match_target": 1:2: parse error: unexpected end of '
            "input inside braces",
        },
    )


def test_the_cardinality_of_few_series() -> None:
    series = [
        labels_of({"__name__": "up", "job": "a"}),
        labels_of({"__name__": "up", "job": "bb"}),
        labels_of({"__name__": "down", "job": "a"}),
    ]

    assert cardinality(series, 0, 1_800_000) == {
        "headStats": {
            "numSeries": 3,
            "numLabelPairs": 4,
            "chunkCount": 6,
            "minTime": 0,
            "maxTime": 1_800_000,
        },
        "seriesCountByMetricName": [{"name": "up", "value": 2}, {"name": "down", "value": 1}],
        "labelValueCountByLabelName": [
            {"name": "__name__", "value": 2},
            {"name": "job", "value": 2},
        ],
        "memoryInBytesByLabelName": [{"name": "__name__", "value": 6}, {"name": "job", "value": 3}],
        "seriesCountByLabelValuePair": [
            {"name": "__name__=up", "value": 2},
            {"name": "job=a", "value": 2},
            {"name": "__name__=down", "value": 1},
            {"name": "job=bb", "value": 1},
        ],
    }


def test_the_cardinality_of_a_world(world: World) -> None:
    counted = data(world, "query?query=count({__name__!=''})")["result"][0]["value"][1]
    told = data(world, "status/tsdb")

    assert told["headStats"]["numSeries"] >= int(counted)
    assert told["headStats"]["minTime"] == world.epoch * 1000
    names = len(data(world, "label/__name__/values"))
    assert {"name": "__name__", "value": names} in told["labelValueCountByLabelName"]
    assert [len(rows) for key, rows in told.items() if key != "headStats"] == [10, 10, 10, 10]
    assert data(world, "status/walreplay") == {"min": 0, "max": 0, "current": 0}


def test_what_is_left_out_is_not_counted_and_not_configured(world: World) -> None:
    def told(path: str, *words: str) -> str:
        request = Request("GET", f"/api/v1/status/{path}", without=frozenset(words))
        return service("prometheus")(world, request).body.decode()

    assert "job=apiserver" in told("tsdb")
    assert "apiserver" not in told("tsdb", "apiserver").replace("apiserver_", "")
    assert "job_name: etcd" in told("config", "kubelet")
    assert "job_name: etcd" not in told("config", "etcd")


def test_what_a_query_was_is_told_when_it_is_asked_for(world: World) -> None:
    path = 'query?query=count_over_time(up{job="etcd"}[1m])'

    assert "stats" not in data(world, path)
    told = data(world, f"{path}&stats=all")["stats"]
    assert told["samples"] == {"totalQueryableSamples": 4, "peakSamples": 4}
    assert sorted(told["timings"]) == [
        "evalTotalTime",
        "execQueueTime",
        "execTotalTime",
        "innerEvalTime",
        "queryPreparationTime",
        "resultSortTime",
    ]
    assert all(0 <= seconds < 0.01 for seconds in told["timings"].values())
    span = f"query_range?query=up{{job='etcd'}}&start={world.epoch}&end={world.epoch + 300}&step=30"
    assert data(world, f"{span}&stats=1")["stats"]["samples"]["totalQueryableSamples"] == 11


def test_there_are_no_exemplars(world: World) -> None:
    wrong = {"status": "error", "errorType": "bad_data"}

    assert data(world, "query_exemplars?query=rate(up[5m])") == []
    assert asked(world, "/api/v1/query_exemplars?query=1").status == 204
    assert error(world, "query_exemplars") == (
        400,
        {**wrong, "error": "1:1: parse error: no expression found in input"},
    )
    assert error(world, "query_exemplars?query=up&end=x")[1]["error"] == (
        'invalid parameter "end": Invalid time value for \'end\': cannot parse "x" to a valid '
        "timestamp"
    )
    assert error(world, "query_exemplars?query=up&start=5&end=1") == (
        400,
        {**wrong, "error": "end timestamp must not be before start timestamp"},
    )


@pytest.mark.parametrize(
    ("method", "path", "status", "kind", "body"),
    [
        ("GET", "/-/reload", 405, PLAIN, "Only POST or PUT requests allowed"),
        ("POST", "/-/reload", 403, PLAIN, "Lifecycle API is not enabled."),
        ("PUT", "/-/quit", 403, PLAIN, "Lifecycle API is not enabled."),
        (
            "POST",
            "/api/v1/write",
            404,
            PLAIN,
            "remote write receiver needs to be enabled with "
            "--enable-feature=remote-write-receiver\n",
        ),
        (
            "PUT",
            "/api/v1/admin/tsdb/snapshot",
            500,
            "application/json",
            '{"status":"error","errorType":"unavailable","error":"admin APIs disabled"}',
        ),
        (
            "DELETE",
            "/api/v1/series",
            500,
            "application/json",
            '{"status":"error","errorType":"internal","error":"not implemented"}',
        ),
        (
            "GET",
            "/federate?match[]=up{",
            400,
            PLAIN,
            "1:4: parse error: unexpected end of input inside braces\n",
        ),
    ],
)
def test_what_is_refused(
    world: World, method: str, path: str, status: int, kind: str, body: str
) -> None:
    found = asked(world, path, method)

    assert (found.status, found.content_type, found.body.decode()) == (status, kind, body)


def test_pages_of_other_hosts_may_ask(world: World) -> None:
    origin = {"origin": "http://grafana.example"}
    found = asked(world, "/api/v1/query?query=1", "OPTIONS", origin)

    assert (found.status, found.body) == (204, b"")
    assert found.headers == {
        "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, Origin",
        "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Date",
        "Vary": "Origin",
    }
    assert asked(world, "/api/v1/query?query=1", headers=origin).headers == found.headers
    assert asked(world, "/api/v1/query?query=1").headers == {}


def test_the_version(world: World) -> None:
    found = asked(world, "/version")

    assert (found.status, found.content_type) == (200, PLAIN)
    assert json.loads(found.body) == data(world, "status/buildinfo")
