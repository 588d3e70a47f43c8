"""Data of the page: signals, events, pods, logs, files, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.telemetry import dashboard
from sregym_cluster_embedded.telemetry.dashboard.alerts import alert_row
from sregym_cluster_embedded.telemetry.dashboard.routes import answer
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.world import World

Ask = Callable[..., Any]
DATA = ("overview", "signals", "events", "alerts", "pods")


def test_signals_of_users(broken: World, ask: Ask) -> None:
    seen = ask(broken, "/api/signals", window="90")
    now = broken.epoch + broken.now
    assert (seen["workload"], seen["step_s"], seen["end"]) == ("", 1.0, now)
    assert seen["times"] == [now - 89 + second for second in range(89)]
    # As chance has it, the same for whoever asks: a hundred a second, ten more or less.
    assert sum(seen["rate"]) / 89 == pytest.approx(100, abs=4)
    deviation = sum((rate - 100) ** 2 for rate in seen["rate"]) / 89
    assert deviation == pytest.approx(100, rel=0.4)
    # The Service went a minute ago, and a fifth of a second later requests began to fail.
    assert seen["failed"] == pytest.approx([0.0] * 29 + [0.8] + [1.0] * 59, abs=1e-9)
    for level in ("p50", "p95", "p99"):
        assert len(seen["latency_ms"][level]) == 89
    assert seen["latency_ms"]["p50"][0] < seen["latency_ms"]["p95"][0]
    assert seen["latency_ms"]["p95"][0] < seen["latency_ms"]["p99"][0]
    assert len(seen["cpu"]) == len(seen["throttled"]) == len(seen["in_flight"]) == 89


def test_signals_of_a_workload(broken: World, ask: Ask) -> None:
    seen = ask(broken, "/api/signals", workload="shop/stock", window="120")
    users = ask(broken, "/api/signals", workload="shop/web", window="120")
    assert seen["rate"][:25] == users["rate"][:25]
    assert len(set(seen["rate"][:25])) == 25
    assert seen["rate"][-25:] == [0.0] * 25
    assert seen["failed"][-25:] == [None] * 25
    assert seen["cpu"][0] > 0.02
    assert seen["cpu"][-25:] == [0.0] * 25


def test_nothing_is_told_of_the_time_before_the_world(world: World, ask: Ask) -> None:
    seen = ask(world, "/api/signals", window="21600")
    assert (seen["step_s"], seen["times"][0] - world.epoch) == (5.0, 5.0)


def test_pods(world: World, ask: Ask) -> None:
    rows = ask(world, "/api/pods")["pods"]
    assert [row["workload"] for row in rows] == [
        "shop/load",
        "shop/price",
        "shop/stock",
        "shop/web",
        "kube-system/coredns",
    ]
    name = rows[3].pop("name")
    assert re.fullmatch(r"web-[0-9a-z]+-[0-9a-z]{5}", name)
    assert re.fullmatch(r"10\.244\.\d\.\d", rows[3].pop("ip"))
    assert re.fullmatch(r"node\d", rows[3].pop("node"))
    assert rows[3] == {
        "namespace": "shop",
        "workload": "shop/web",
        "ready": "1/1",
        "status": "Running",
        "restarts": "0",
        "age": "2m",
        "healthy": True,
        "containers": ["web"],
    }


def test_events(world: World, ask: Ask) -> None:
    seen = ask(world, "/api/events", window="3600")
    scaled = [row for row in seen["events"] if row["reason"] == "ScalingReplicaSet"]
    at = world.epoch + world.now - 120
    names = [row["object"] for row in scaled if row["namespace"] == "shop"]
    assert names == ["deployment/load", "deployment/price", "deployment/stock", "deployment/web"]
    message = scaled[3].pop("message")
    assert re.fullmatch(r"Scaled up replica set web-[0-9a-z]+ from 0 to 1", message)
    assert scaled[3] == {
        "first": at,
        "last": at,
        "type": "Normal",
        "reason": "ScalingReplicaSet",
        "namespace": "shop",
        "object": "deployment/web",
        "count": 1,
    }
    assert ask(world, "/api/events", window="60") == {"events": [], "left_out": 0}


def test_logs(broken: World, ask: Ask) -> None:
    pod = next(row["name"] for row in ask(broken, "/api/pods")["pods"] if "web-" in row["name"])
    seen = ask(broken, "/api/logs", namespace="shop", pod=pod, tail="2")
    lines = seen.pop("lines")
    assert seen == {"namespace": "shop", "pod": pod, "container": "web"}
    assert [line["text"].partition("Z ")[2][:12] for line in lines] == ["ERR reserve:"] * 2
    assert all(line["at"] <= broken.timestamp(broken.now + 1) for line in lines)
    everything = ask(broken, "/api/logs", namespace="shop", pod=pod, container="web", tail="2000")
    assert everything["lines"][-2:] == lines
    assert len(everything["lines"]) == 2000


@pytest.mark.parametrize(
    ("method", "path", "parameters", "status", "message"),
    [
        ("GET", "/api/nothing", (), 404, "the dashboard has nothing at /api/nothing"),
        ("GET", "/../routes.py", (), 404, "the dashboard has nothing at /../routes.py"),
        ("POST", "/api/pods", (), 405, "the dashboard only answers GET, not POST"),
        (
            "GET",
            "/api/signals",
            (("window", "soon"),),
            400,
            "parameter 'window': a number from 60 to 21600 is needed, not 'soon'",
        ),
        (
            "GET",
            "/api/logs",
            (("tail", "0"),),
            400,
            "parameter 'tail': a number from 1 to 2000 is needed, not '0'",
        ),
        (
            "GET",
            "/api/logs",
            (("namespace", "shop"), ("pod", "gone")),
            404,
            "no container of pod shop/gone has started",
        ),
        (
            "GET",
            "/api/logs",
            (("namespace", "shop"), ("pod", "gone"), ("container", "main")),
            404,
            "no container of pod shop/gone, container 'main' has started",
        ),
    ],
)
def test_refusals(
    world: World,
    method: str,
    path: str,
    parameters: tuple[tuple[str, str], ...],
    status: int,
    message: str,
) -> None:
    response = answer(world, Request(method, path, parameters))
    assert (response.status, orjson.loads(response.body)) == (status, {"message": message})


def test_questions_change_nothing(broken: World) -> None:
    before = broken.digest()
    first = [answer(broken, Request("GET", f"/api/{name}")) for name in DATA]
    twin = broken.fork()
    again = [answer(twin, Request("GET", f"/api/{name}")) for name in reversed(DATA)]
    assert first == again[::-1]
    assert broken.digest() == before


def test_alerts_are_those_of_prometheus(broken: World, ask: Ask) -> None:
    broken.run_until(broken.now + 240)
    answered = service("prometheus")(broken, Request("GET", "/api/v1/alerts"))
    told = [alert_row(alert) for alert in orjson.loads(answered.body)["data"]["alerts"]]
    seen = ask(broken, "/api/alerts")["alerts"]
    assert sorted(seen, key=repr) == sorted(told, key=repr)
    states = [row["state"] for row in seen]
    assert states[0] == "firing"
    assert states == sorted(states)
    assert "HighWorkloadFailureRate" in [row["name"] for row in seen]


def test_an_alert_is_shown_by_its_words() -> None:
    alert = {
        "labels": {"alertname": "PodNotReady", "severity": "warning", "pod": "web", "a": "b"},
        "annotations": {"description": "longer", "summary": "short"},
        "state": "firing",
        "activeAt": "2026-01-01T09:03:01.123456789Z",
        "value": "1e+00",
    }
    expected = {
        "name": "PodNotReady",
        "state": "firing",
        "severity": "warning",
        "since": 1767258181.123,
        "summary": "short",
        "labels": alert["labels"],
    }
    assert alert_row(alert) == expected
    bare = {**alert, "annotations": {}, "activeAt": "2026-01-01T09:03:01Z"}
    assert alert_row(bare) == {**expected, "since": 1767258181.0, "summary": "a=b, pod=web"}


def test_the_page_loads_nothing_from_elsewhere(world: World) -> None:
    folder = files(dashboard).joinpath("static")
    names = sorted(entry.name for entry in folder.iterdir())
    assert names == [
        "charts.js",
        "dom.js",
        "graph.js",
        "icon.svg",
        "index.html",
        "main.js",
        "panels.js",
        "style.css",
    ]
    for name in names:
        text = folder.joinpath(name).read_text(encoding="utf-8")
        found = set(re.findall(r"https?://[\w.:/-]*", text))
        assert found <= {"http://www.w3.org/2000/svg", "http://127"}, name
        assert re.findall(r"(?i)sregym|\bfaults?\b|inject|chaos|benchmark", text) == [], name
    page = answer(world, Request("GET", "/"))
    assert (page.status, page.content_type) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src")
