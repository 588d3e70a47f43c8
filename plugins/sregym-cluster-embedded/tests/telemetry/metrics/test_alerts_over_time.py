"""Whenever alerts are asked for, they are those of an evaluation each 30 s from the beginning."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from sregym_cluster_embedded.clock import SharedCache
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.rules import (
    Alert,
    AlertingRule,
    active,
    observed,
    standard_groups,
)
from sregym_cluster_embedded.telemetry.rules.alerts import ActiveAlert, alert_of, evaluated
from sregym_cluster_embedded.telemetry.rules.evaluation import Evaluated
from sregym_cluster_embedded.world import World
from sregym_promql import Engine, Labels, Matcher

STEP_S = 30
# By name and severity, which is all that tells some rules apart.
Living = dict[tuple[str, str], Mapping[Labels, ActiveAlert]]


def fresh(world: World) -> Evaluated:
    """The samples of a world that nobody has asked, and rules that remember nothing."""
    now_ms = world.epoch * 1000 + int(world.now * 1000)
    unasked = world.fork()
    unasked.shared_cache = SharedCache()
    return Evaluated(WorldStorage(unasked), standard_groups(), world.epoch * 1000, now_ms)


def key_of(rule: AlertingRule) -> tuple[str, str]:
    return rule.name, rule.labels["severity"]


def one_evaluation(world: World, at: int, living: Living) -> None:
    """What Prometheus does each interval: it evaluates each rule at one moment."""
    engine = Engine(fresh(world), interval_s=STEP_S)
    at_ms = (world.epoch + at) * 1000
    for group in standard_groups():
        for rule in group.rules:
            if isinstance(rule, AlertingRule):
                answer = engine.instant(rule.expr, world.epoch + at)
                rows = {
                    labels: (np.array([at_ms]), np.array([value])) for labels, value in answer.rows
                }
                known = living.get(key_of(rule), {})
                found = dict(evaluated(rule, rows, range(at_ms, at_ms + 1), known))
                living[key_of(rule)] = found.get(at_ms, {})


@pytest.fixture(scope="module")
def lived(opened: World) -> tuple[int, Living]:
    """The moment of the last evaluation before any test changed something, and what it left."""
    living: Living = {}
    begin = int(opened.now) // STEP_S * STEP_S
    for at in range(0, begin + 1, STEP_S):
        one_evaluation(opened, at, living)
    return begin, living


def alerts_of(living: Living) -> list[Alert]:
    return [
        alert_of(rule, labels, life)
        for group in standard_groups()
        for rule in group.rules
        if isinstance(rule, AlertingRule)
        for labels, life in living[key_of(rule)].items()
    ]


def _stock_is_lost(booth: Any) -> None:
    booth.delete("services", "stock")


def _stock_cannot_start(booth: Any) -> None:
    def change(deployment: dict[str, Any]) -> None:
        deployment["spec"]["template"]["spec"]["containers"][0].update(command=["nothing"])
        deployment["spec"]["strategy"] = {"type": "Recreate"}

    booth.edit("Deployment", "stock", change)


def _web_is_slow(booth: Any) -> None:
    def change(deployment: dict[str, Any]) -> None:
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        container["resources"] = {"limits": {"cpu": "8m", "memory": "64Mi"}}

    booth.edit("Deployment", "web", change)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_stock_is_lost, {"HighRequestErrorRate", "HighWorkloadFailureRate"}),
        (_stock_cannot_start, {"DeploymentNotReady", "KubePodNotReady", "PodStatusError"}),
        (_web_is_slow, {"ContainerCPUThrottling"}),
    ],
)
def test_alerts_are_those_of_an_evaluation_each_interval(
    booth: Any,
    lived: tuple[int, Living],
    change: Callable[[Any], None],
    expected: set[str],
) -> None:
    begin, living = lived[0], {**lived[1]}
    change(booth)
    seen: set[str] = set()
    for at in range(begin + STEP_S, begin + 300, STEP_S):
        # A moment later, when samples of that very moment are there.
        booth.world.run_until(at + 0.001)
        one_evaluation(booth.world, at, living)
        alerts = alerts_of(living)
        seen.update(dict(alert.labels)["alertname"] for alert in alerts if alert.fired_ms)
        # One is asked now and then, the other for the first time.
        if at % 90:
            assert active(booth.world) == alerts
        assert active(booth.world.fork()) == alerts
    assert expected <= seen


def _scaled_to_nothing(booth: Any) -> None:
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=0))


def _scaled_up(booth: Any) -> None:
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=3))


def _stock_can_start(booth: Any) -> None:
    def change(deployment: dict[str, Any]) -> None:
        deployment["spec"]["template"]["spec"]["containers"][0].pop("command", None)

    booth.edit("Deployment", "stock", change)


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_happens_and_whoever_asks_alerts_are_those_of_each_interval(
    booth: Any, lived: tuple[int, Living], seed: int
) -> None:
    """Changes at any time; worlds are asked often, seldom, or once, and forks go on on their own."""
    chance = random.Random(seed)
    changes = (_stock_cannot_start, _stock_can_start, _scaled_to_nothing, _scaled_up, _web_is_slow)
    begin, living = lived[0], {**lived[1]}
    aside: list[World] = []
    seen = 0
    for at in range(begin + STEP_S, begin + 240, STEP_S):
        if chance.random() < 0.4:
            # Not at the very moment of an evaluation.
            booth.world.run_until(at - STEP_S + 1 + chance.random() * (STEP_S - 2))
            chance.choice(changes)(booth)
            aside.clear()
        booth.world.run_until(at + 0.001)
        one_evaluation(booth.world, at, living)
        alerts = alerts_of(living)
        seen += len(alerts)
        if chance.random() < 0.5:
            assert active(booth.world) == alerts
        if chance.random() < 0.5:
            aside.append(booth.world.fork())
        for twin in aside:
            twin.run_until(at + 0.001)
            assert active(twin) == alerts
        untold = booth.world.fork()
        untold.shared_cache = SharedCache()
        assert active(untold) == alerts
    assert seen


def test_series_of_alerts_are_the_same_whatever_was_asked_before(booth: Any) -> None:
    _stock_is_lost(booth)
    active(booth.world)
    for seconds in (100, 200, 250):
        booth.run(seconds)
        active(booth.world)
    assert booth.world.cache
    for query in ("ALERTS", "ALERTS_FOR_STATE", "service:traces_span_metrics_calls:rate2m"):
        begin, end = booth.world.epoch, booth.world.epoch + int(booth.world.now)
        for start in (end - 100, end - 400, begin):
            answers = [
                Engine(storage).range(query, start, end, 17).series
                for storage in (observed(booth.world), fresh(booth.world))
            ]
            shown = [
                [(one.labels, one.times.tolist(), one.values.tolist()) for one in series]
                for series in answers
            ]
            assert shown[0] == shown[1]
            assert shown[0]


def _over_time(world: World) -> list[Any]:
    """The alerts of now, and `ALERTS` and what rules recorded of all the time."""
    now_ms = world.epoch * 1000 + int(world.now * 1000)
    named = Matcher("__name__", "=~", "ALERTS.*")
    written = observed(world).select((named,), world.epoch * 1000, now_ms)
    rows = [(one.labels, one.times.tolist(), one.values.tobytes()) for one in written]
    return [active(world), sorted(rows)]


def test_copies_tell_each_other_only_what_is_the_same(booth: Any) -> None:
    _stock_is_lost(booth)
    booth.run(100)
    early, late, other = (booth.world.fork() for _ in range(3))
    # One of them is asked far later than the others, one goes another way.
    late.run_until(late.now + 400)
    _over_time(late)
    booth.delete("deployments.apps", "web")
    for world, seconds in ((early, 0.0), (early, 20.0), (booth.world, 40.0), (early, 60.0)):
        world.run_until(world.now + seconds)
        alone = world.fork()
        alone.shared_cache = SharedCache()
        assert _over_time(world) == _over_time(alone)
    other.run_until(late.now)
    assert _over_time(other) == _over_time(late)
    assert len(_over_time(other)[0]) > 1
