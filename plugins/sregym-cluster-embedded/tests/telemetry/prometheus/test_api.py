"""Prometheus' HTTP API over a bare cluster: shapes, refusals, and that asking changes nothing."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.world import World

BROKEN = {
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "ghcr.io/acme/none:1"}]},
        },
    },
}


@pytest.fixture(scope="module")
def world() -> World:
    """A cluster in which a Deployment cannot pull its image, after five minutes."""
    made = build(Blueprint())
    internal_client.create(made, "deployments.apps", BROKEN)
    made.run_until(300)
    return made


def raw(world: World, path: str, method: str = "GET") -> tuple[int, str, str]:
    path, _, query = path.partition("?")
    pairs = tuple(parse_qsl(query, keep_blank_values=True))
    found = service("prometheus")(world, Request(method, path, pairs))
    return found.status, found.content_type, found.body.decode()


def ask(world: World, path: str) -> Any:
    status, kind, body = raw(world, path)
    assert (status, kind) == (200, "application/json")
    answer = json.loads(body)
    assert answer["status"] == "success"
    return answer["data"]


def at(world: World, seconds: float) -> float:
    return world.epoch + seconds


def test_queries_in_all_forms_of_time(world: World) -> None:
    text = world.timestamp(200).replace("Z", ".250Z")

    assert ask(world, "/api/v1/query?query=1%2B1&time=1.5") == {
        "resultType": "scalar",
        "result": [1.5, "2"],
    }
    assert ask(world, f"/api/v1/query?query=time()&time={text}")["result"] == [
        at(world, 200.25),
        f"{at(world, 200.25):.2f}",
    ]
    assert ask(world, "/api/v1/query?query=time()")["result"][0] == at(world, 300)


def test_an_instant_and_a_range_agree(world: World) -> None:
    query = "sum(kube_pod_status_ready)"
    whole = ask(
        world,
        f"/api/v1/query_range?query={query}&start={at(world, 240)}&end={at(world, 300)}&step=30s",
    )
    points = [
        ask(world, f"/api/v1/query?query={query}&time={at(world, second)}")["result"][0]["value"]
        for second in (240, 270, 300)
    ]

    assert whole == {"resultType": "matrix", "result": [{"metric": {}, "values": points}]}


def test_series_and_labels(world: World) -> None:
    selector = 'match[]=kube_deployment_spec_replicas{deployment="web"}'
    (series,) = ask(world, f"/api/v1/series?{selector}")

    assert series["deployment"] == "web"
    assert ask(world, f"/api/v1/labels?{selector}") == sorted(series)
    assert ask(world, f"/api/v1/label/deployment/values?{selector}") == ["web"]
    assert ask(world, "/api/v1/label/nothing/values") == []
    assert {"ALERTS", "up"} <= set(ask(world, "/api/v1/label/__name__/values"))


def test_rules_and_alerts(world: World) -> None:
    groups = ask(world, "/api/v1/rules?type=alert&rule_name[]=PodStatusError")["groups"]
    ((rule,),) = [group["rules"] for group in groups]
    alerts = ask(world, "/api/v1/alerts")["alerts"]
    names = {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    assert (rule["state"], rule["type"], rule["health"]) == ("firing", "alerting", "ok")
    assert rule["query"] == (
        "max by (namespace, pod, container) (kube_pod_container_status_waiting_reason"
        '{reason!~"ContainerCreating|PodInitializing"}) > 0'
    )
    assert names == {
        "PodStatusError",
        "PendingPodsDetected",
        "KubePodNotReady",
        "DeploymentNotReady",
    }
    assert {alert["labels"]["namespace"] for alert in alerts} == {"default"}
    assert all(alert["value"] in ("1e+00", "0e+00") for alert in alerts)


def test_what_a_prometheus_says_of_itself(world: World) -> None:
    assert raw(world, "/-/healthy") == (
        200,
        "text/plain; charset=utf-8",
        "Prometheus Server is Healthy.\n",
    )
    assert raw(world, "/-/ready")[2] == "Prometheus Server is Ready.\n"
    assert ask(world, "/api/v1/status/buildinfo")["version"] == "2.42.0"
    assert ask(world, "/api/v1/status/flags")["query.max-samples"] == "50000000"
    assert "rule_files:" in ask(world, "/api/v1/status/config")["yaml"]
    assert ask(world, "/api/v1/status/runtimeinfo")["startTime"] == world.timestamp(0)
    targets = ask(world, "/api/v1/targets?state=active")
    assert targets["droppedTargets"] == []
    assert {target["health"] for target in targets["activeTargets"]} == {"up"}
    assert list(ask(world, "/api/v1/metadata?metric=kube_pod_info")) == ["kube_pod_info"]


def test_federation(world: World) -> None:
    status, kind, body = raw(world, '/federate?match[]=up{job="apiserver"}')

    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert body.splitlines()[0] == "# TYPE up untyped"
    assert body.splitlines()[1].split()[-2] == "1"
    # Series without an instance say so, or else they would get that of this Prometheus.
    selector = 'ALERTS{alertname="DeploymentNotReady",alertstate="firing"}'
    assert raw(world, f"/federate?match[]={selector}")[2] == (
        "# TYPE ALERTS untyped\n"
        'ALERTS{alertname="DeploymentNotReady",alertstate="firing",deployment="web",'
        f'namespace="default",severity="warning",instance=""}} 1 {(world.epoch + 300) * 1000}\n'
    )


def test_queries_are_formatted(world: World) -> None:
    long = (
        "histogram_quantile(0.9,sum(rate(very_long_metric_name_bucket"
        '{job="something_long",instance="another_long"}[5m])) by (le, job, instance))'
    )

    assert ask(world, "/api/v1/format_query?query=sum(rate(up[5m]))by(job)") == (
        "sum by (job) (rate(up[5m]))"
    )
    assert ask(world, f"/api/v1/format_query?query={long}") == (
        "histogram_quantile(\n"
        "  0.9,\n"
        "  sum by (le, job, instance) (\n"
        '    rate(very_long_metric_name_bucket{instance="another_long",job="something_long"}[5m])\n'
        "  )\n"
        ")"
    )


@pytest.mark.parametrize(
    ("path", "status", "kind", "message"),
    [
        (
            "query",
            400,
            "bad_data",
            'invalid parameter "query": 1:1: parse error: no expression found in input',
        ),
        (
            "query?query=up[",
            400,
            "bad_data",
            'invalid parameter "query": 1:4: parse error: missing unit character in duration',
        ),
        (
            "query?query=up&time=abc",
            400,
            "bad_data",
            'invalid parameter "time": Invalid time value for \'time\': cannot parse "abc" to a valid timestamp',
        ),
        (
            "query?query=up&time=2026-01-01T09:00:00",
            400,
            "bad_data",
            'invalid parameter "time": Invalid time value for \'time\': cannot parse "2026-01-01T09:00:00" to a valid timestamp',
        ),
        (
            "query?query=1&timeout=abc",
            400,
            "bad_data",
            'invalid parameter "timeout": cannot parse "abc" to a valid duration',
        ),
        ("query?query=topk(NaN,up)", 422, "execution", "Scalar value NaN overflows int64"),
        (
            "query?query=sum_over_time(vector(1)[10y:1ms])",
            422,
            "execution",
            "query processing would load too many samples into memory in query execution",
        ),
        (
            "query_range?query=up&end=1",
            400,
            "bad_data",
            'invalid parameter "start": cannot parse "" to a valid timestamp',
        ),
        (
            "query_range?query=up&start=1",
            400,
            "bad_data",
            'invalid parameter "end": cannot parse "" to a valid timestamp',
        ),
        (
            "query_range?query=up&start=5&end=1",
            400,
            "bad_data",
            'invalid parameter "end": end timestamp must not be before start time',
        ),
        (
            "query_range?query=up&start=1&end=5",
            400,
            "bad_data",
            'invalid parameter "step": cannot parse "" to a valid duration',
        ),
        (
            "query_range?query=up&start=1&end=5&step=1e30",
            400,
            "bad_data",
            'invalid parameter "step": cannot parse "1e30" to a valid duration. It overflows int64',
        ),
        (
            "query_range?query=up&start=1&end=5&step=0",
            400,
            "bad_data",
            'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer',
        ),
        (
            "query_range?query=up&start=1&end=500000&step=1",
            400,
            "bad_data",
            "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)",
        ),
        (
            "query_range?query=up[5m]&start=1&end=5&step=1",
            400,
            "bad_data",
            'invalid expression type "range vector" for range query, must be Scalar or instant Vector',
        ),
        (
            "query_range?query=up{&start=1&end=5&step=1",
            400,
            "bad_data",
            "1:4: parse error: unexpected end of input inside braces",
        ),
        ("labels?match[]=up(", 400, "bad_data", '1:3: parse error: unexpected "("'),
        (
            "labels?start=x",
            400,
            "bad_data",
            'invalid parameter "start": Invalid time value for \'start\': cannot parse "x" to a valid timestamp',
        ),
        ("label/0job/values", 400, "bad_data", 'invalid label name: "0job"'),
        ("series", 400, "bad_data", "no match[] parameter provided"),
        (
            "series?match[]={}",
            400,
            "bad_data",
            'invalid parameter "match[]": match[] must contain at least one non-empty matcher',
        ),
        (
            "series?match[]=rate(up[5m])",
            400,
            "bad_data",
            'invalid parameter "match[]": 1:5: parse error: unexpected "("',
        ),
        ("metadata?limit=x", 400, "bad_data", "limit must be a number"),
        ("rules?type=foo", 400, "bad_data", 'invalid parameter "type": not supported value "foo"'),
        (
            "format_query?query=sum(",
            400,
            "bad_data",
            'invalid parameter "query": 1:5: parse error: unclosed left parenthesis',
        ),
    ],
)
def test_refusals_are_those_of_prometheus(
    world: World, path: str, status: int, kind: str, message: str
) -> None:
    code, content_type, body = raw(world, f"/api/v1/{path}")

    assert (code, content_type) == (status, "application/json")
    assert json.loads(body) == {"status": "error", "errorType": kind, "error": message}


def test_what_there_is_not(world: World) -> None:
    plain = "text/plain; charset=utf-8"

    assert raw(world, "/api/v1/nope") == (404, plain, "404 page not found\n")
    assert raw(world, "/api/v1/rules", "POST") == (405, plain, "Method Not Allowed\n")
    assert raw(world, "/api/v1/query?query=1", "DELETE")[0] == 405
    assert raw(world, "/api/v1/query?query=1", "POST")[0] == 200


def test_asking_changes_nothing_and_a_fork_says_the_same(world: World) -> None:
    paths = ["/api/v1/alerts", "/api/v1/rules", "/api/v1/query?query=ALERTS", "/api/v1/labels"]
    before = world.digest()
    first = [raw(world, path) for path in paths]
    twin = world.fork()

    assert [raw(world, path) for path in reversed(paths)] == first[::-1]
    assert [raw(twin, path) for path in paths] == first
    assert world.digest() == before


def test_the_root_leads_to_a_page_as_clients_expect_that_look_for_a_server(world: World) -> None:
    found = service("prometheus")(world, Request("GET", "/", ()))
    assert (found.status, found.headers) == (302, {"Location": "/graph"})
    assert found.body == b'<a href="/graph">Found</a>.\n\n'
    assert raw(world, "/graph") == (
        200,
        "text/html; charset=utf-8",
        '<!doctype html><html lang="en"><head><meta charset="utf-8"/>'
        "<title>Prometheus Time Series Collection and Processing Server</title></head>"
        "<body><p>No user interface is installed.</p></body></html>",
    )
    assert raw(world, "/graphs") == (404, "text/plain; charset=utf-8", "404 page not found\n")
