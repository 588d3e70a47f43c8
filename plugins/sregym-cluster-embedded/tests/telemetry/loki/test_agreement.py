"""Loki holds what containers wrote: line for line what kubectl shows, and what is gone."""

from __future__ import annotations

import json
from typing import Any

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.kubectl import DirectAccess, run
from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.telemetry.logs import written
from sregym_cluster_embedded.telemetry.loki.storage import WorldLogs
from sregym_cluster_embedded.world import World
from sregym_logql import Engine

WORKER = {
    "app": "ticker",
    "container": "main",
    "job": "default/ticker",
    "namespace": "default",
    "pod": "worker",
    "service_name": "ticker",
    "stream": "stdout",
}


def test_streams_are_labelled_as_collectors_label_them(data: Any) -> None:
    (found,) = data("series", ("match[]", '{app="ticker"}'))
    assert found.pop("node_name").startswith("node")
    assert found == WORKER


def test_kubectl_and_loki_agree_line_for_line(kubectl: Any, lines: Any) -> None:
    shown = kubectl("logs", "worker")
    assert len(shown) == 37
    assert lines('{pod="worker"}') == shown


def test_they_agree_about_the_times(kubectl: Any, data: Any) -> None:
    last = kubectl("logs", "worker", "--timestamps", "--tail=1")[0].split(" ", 1)
    row = data("query_range", ("query", '{pod="worker"}'), ("limit", "1"))["result"][0]
    found = lines_at(data, last[0])
    assert (row["values"][0][1], found) == (last[1], [last[1]])


def lines_at(data: Any, moment: str) -> list[str]:
    """Lines from a moment in RFC 3339 on."""
    result = data("query_range", ("query", '{pod="worker"}'), ("start", moment))["result"]
    return [text for row in result for _, text in row["values"]]


def test_all_lives_are_there_one_behind_the_other(kubectl: Any, lines: Any) -> None:
    found = lines('{pod="flaky"}')
    one = kubectl("logs", "flaky")
    assert len(one) == 2
    restarts = int(kubectl("get", "pod", "flaky", "-o", "jsonpath={.status.containerStatuses[0].restartCount}")[0])  # fmt: skip
    assert restarts == 4
    assert found == one * (restarts + 1)


def test_what_is_gone_is_still_there(lines: Any) -> None:
    found = lines('{pod="gone"}')
    assert found[:2] == ["worker: started, interval 5s", "worker: tick 1"]
    # Nothing comes from the dead.
    assert len(found) == 14


AGAIN = """
apiVersion: v1
kind: Pod
metadata: {name: gone, labels: {app: again}}
spec: {containers: [{name: main, image: "registry.example/shop/worker:1.0"}]}
"""


def test_a_new_pod_of_an_old_name_has_its_own_labels(world: World) -> None:
    later = world.fork()
    assert run(DirectAccess(later), ["apply", "-f", "-"], AGAIN).exit_code == 0
    later.run_until(later.now + 30)
    match = (("match[]", '{pod="gone"}'),)
    answer = service("loki")(later, Request("GET", "/loki/api/v1/series", match))
    assert sorted(row["app"] for row in json.loads(answer.body)["data"]) == ["again", "gone"]


def test_the_same_question_has_the_same_answer(world: World) -> None:
    epoch_ns = world.epoch * 10**9
    span = (epoch_ns, epoch_ns + 10**12)
    engine = Engine(WorldLogs(world))
    whole = engine.logs('{namespace="default"}', *span, 5000)
    parts = engine.logs('{pod="worker"} |= "tick 7"', *span, 5000)
    assert len(parts.streams[0].entries) == 1
    twin = world.fork()
    twin.run_until(twin.now + 30)
    later = Engine(WorldLogs(twin)).logs('{namespace="default"}', span[0], epoch_ns + int(world.now * 10**9), 5000)  # fmt: skip
    assert later == whole
    assert Engine(WorldLogs(world)).logs('{namespace="default"}', *span, 5000) == whole


def test_a_span_holds_its_first_moment_and_not_its_last(world: World) -> None:
    storage = WorldLogs(world)
    engine = Engine(storage)
    (stream,) = engine.logs('{pod="worker"}', *storage.span_ns(), 5000, forward=True).streams
    first, second, third = stream.entries[:3]
    (found,) = engine.logs('{pod="worker"}', first.at_ns, third.at_ns, forward=True).streams
    assert list(found.entries) == [first, second]


def test_counts_are_those_of_the_lines(data: Any, lines: Any) -> None:
    result = data("query", ("query", 'sum by (pod) (count_over_time({namespace="default"}[1h]))'))
    counted = {row["metric"]["pod"]: int(row["value"][1]) for row in result["result"]}
    assert counted == {pod: len(lines(f'{{pod="{pod}"}}')) for pod in ("flaky", "gone", "worker")}


def test_lines_of_one_moment_follow_each_other_within_microseconds(world: World) -> None:
    instance = next(instance for instance in instances(world) if instance.ref.name == "coredns")
    assert len({line.at for line in instance.process.lines}) < len(instance.process.lines)
    found = written(world, instance, 0.0, world.now)
    assert [line.text for line in found] == [line.text for line in instance.process.lines]
    assert all(
        0 <= line.at - said.at < 2e-4
        for line, said in zip(found, instance.process.lines, strict=True)
    )
    assert len({line.at for line in found}) == len(found)
    assert written(world.fork(seed=3), instance, 0.0, world.now) == found
