"""A load generator exports the metrics of the tool that it is called after, or none."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.world import World
from sregym_promql import Engine

MODEL = """
application: fair
images:
  - repository: ghcr.io/acme/fair
    tags: ["1.0"]
    size_mib: 10
    env: {PATH: /bin}
    binaries: {/bin/web: web, /bin/NAME: NAME}
programs:
  web:
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    operations: {buy: {listener: http, route: GET /buy}}
  NAME:
    kind: load-generator
    target: http://web:8080
    rate: 20
    mix: {buy: {request: GET /buy, weight: 1}, missed: {request: GET /missed, weight: 1}}
"""


def fair(name: str, **more: Any) -> World:
    model = yaml.safe_load(MODEL.replace("NAME", name))
    model["programs"][name].update(more)
    world = build(Blueprint(models=(parse_service_model(yaml.safe_dump(model), "fair.yaml"),)))
    for each in ("web", name):
        container = {"name": each, "image": "ghcr.io/acme/fair:1.0", "command": [each]}
        metadata = {"name": each, "namespace": "default", "labels": {"app": each}}
        pod = {"metadata": metadata, "spec": {"containers": [container]}}
        internal_client.create(world, "pods", pod)
    spec = {"selector": {"app": "web"}, "ports": [{"port": 8080, "targetPort": 8080}]}
    metadata = {"name": "web", "namespace": "default"}
    internal_client.create(world, "services", {"metadata": metadata, "spec": spec})
    world.run_until(180)
    return world


def ask(world: World, query: str) -> dict[tuple[str, ...], float]:
    answer = Engine(WorldStorage(world)).instant(query, world.epoch + world.now)
    return {tuple(value for _, value in labels): value for labels, value in answer.rows}


@pytest.mark.parametrize(
    ("name", "more", "jobs"),
    [
        ("locust", {}, {"locust"}),
        ("users", {}, {"locust"}),
        ("wrk2", {}, set()),
        ("shop-vegeta", {}, set()),
        ("k6", {}, {"k6"}),
        ("users", {"metrics": "none"}, set()),
        ("users", {"metrics": "k6"}, {"k6"}),
    ],
)
def test_the_name_says_what_is_exported(name: str, more: dict[str, Any], jobs: set[str]) -> None:
    world = fair(name, **more)
    assert {job for (job,) in ask(world, 'sum by (job) (up{job=~"locust|k6"})')} == jobs
    known = {metric for (metric,) in ask(world, 'sum by (__name__) ({__name__=~"(locust|k6)_.+"})')}
    assert {metric.partition("_")[0] for metric in known} == jobs


def test_k6_tells_what_its_users_saw() -> None:
    world = fair("k6")
    counted = ask(world, "sum by (name, status, expected_response) (rate(k6_http_reqs_total[1m]))")
    assert {key: pytest.approx(value, abs=2) for key, value in counted.items() if value} == {
        ("true", "buy", "200"): 10,
        ("false", "missed", "404"): 10,
    }
    assert ask(world, "sum by (name) (k6_http_req_failed_rate)") == {("buy",): 0, ("missed",): 1}
    assert ask(world, "rate(k6_iterations_total[1m])").popitem()[1] == pytest.approx(20, abs=3)
    (slowest,) = ask(world, 'k6_http_req_duration_p99{name="buy"}').values()
    assert 0.0002 < slowest < 0.01
