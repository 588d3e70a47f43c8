"""Registries, caches, retries at start, panics, slow callees: each as the service model says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW

MODEL = """
application: desk
images:
  - {repository: desk/all, tags: ["1"], size_mib: 1, binaries: {/bin/front: front, /bin/back: back, /bin/consul: consul,
     /bin/memcached: memcached, /bin/load: load}, tools: [busybox]}
programs:
  front:
    startup:
      - dial: consul
        on_failure: {log: ["no registry: ${error}"], then: retry, every_s: 2, backoff: 2, attempts: 3, last_log: [giving up], code: 4}
      - listen: http
    listeners: {http: {protocol: http, port: 80}}
    clients:
      consul: {protocol: registry, address: "consul:8500"}
      back: {protocol: grpc, registry: consul, name: srv-back, timeout_s: 0.5}
      cache: {protocol: memcached, address: "cache:11211", timeout_s: 0.1}
    operations:
      look:
        listener: http
        route: GET /look
        calls:
          - cache: cache
            hit_rate: 0.75
            on_error: {then: ignore, log: [{text: "cache: ${error}", share: 0.5}]}
            miss:
              - call: back.Get
                on_error: {log: ["back: ${error}"]}
      risky:
        listener: http
        route: GET /risky
        calls:
          - call: back.Get
            on_error: {then: panic, log: [{level: panic, text: "panic: ${error}"}], code: 2}
  back:
    config: {work: {env: WORK_MS, default: "1"}}
    startup:
      - listen: grpc
      - {register: consul, name: srv-back, port: 81}
    listeners: {grpc: {protocol: grpc, port: 81}}
    clients: {consul: {protocol: registry, address: "consul:8500"}}
    operations: {Get: {listener: grpc, cpu_ms: 1}}
  consul: {kind: registry, ports: [8600]}
  memcached: {kind: memcached}
  load:
    kind: load-generator
    config: {path: {argument: 0, default: look}, rate: {flag: R, default: 100}}
    target: http://front
    rate: "${rate}"
    mix:
      look: {request: GET /look, weight: 3}
      other: {request: GET /risky, weight: 1}
"""


@pytest.fixture
def desk(make_shop: Callable[[str], Any]) -> Any:
    return make_shop(MODEL)


def begin(
    desk: Any, program: str, uid: str, host: str = "", attempt: int = 0, **fields: Any
) -> None:
    desk.name(host or program, uid)
    command = (program, *fields.pop("words", ()))
    assert desk.start(program, "desk/all:1", uid, attempt, command=command, **fields) is None
    desk.run(2)


def begin_all(desk: Any, **load: Any) -> None:
    begin(desk, "consul", "1")
    begin(desk, "memcached", "2", "cache")
    begin(desk, "back", "3")
    begin(desk, "front", "4")
    begin(desk, "load", "5", **load)
    desk.run(30)


def served(desk: Any, pod: str) -> list[tuple[str, float, float]]:
    segments = desk.world.service(REQUEST_FLOW).served(desk.world, desk.ref(pod))
    return [(flow.operation, flow.rate, flow.ok) for flow in segments[-1].flows]


def told(line: str, operation: str) -> tuple[int, int, int]:
    """Requests, successes and failures by a line of the load generator."""
    found = re.match(rf"op={operation} requests=(\d+) ok=(\d+) failed=(\d+) ", line)
    assert found is not None, line
    asked, ok, failed = map(int, found.groups())
    return asked, ok, failed


def test_calls_go_where_the_registry_says_and_past_the_cache(desk: Any) -> None:
    begin_all(desk)
    asked, ok, failed = told(desk.rounds(2)[0], "look")
    assert (asked, failed) == (pytest.approx(750, abs=4 * 750**0.5), 0)
    assert ok == asked
    assert served(desk, "front") == [("look", 75.0, 1.0), ("risky", 25.0, 1.0)]
    assert served(desk, "memcached") == [("*", 75.0, 1.0)]
    assert served(desk, "back") == [("Get", pytest.approx(75 * 0.25 + 25), 1.0)]


def test_the_rate_comes_from_the_command_line(desk: Any) -> None:
    begin_all(desk, words=("look", "-D", "exp", "-R", "200"))
    looks, others = desk.rounds(2)
    assert told(looks, "look")[0] == pytest.approx(1500, abs=4 * 1500**0.5)
    assert told(others, "other")[0] == pytest.approx(500, abs=4 * 500**0.5)


def test_a_lost_cache_makes_every_look_a_miss(desk: Any) -> None:
    begin_all(desk)
    desk.name("cache")
    desk.run(20)
    assert served(desk, "back") == [("Get", 100.0, 1.0)]
    lines = [text for text in desk.texts("front") if text.startswith("cache: ")]
    assert set(lines) == {"cache: dial tcp 10.96.1.5:11211: connect: connection refused"}
    asked, ok, _ = told(desk.rounds(2)[0], "look")
    assert ok == asked == pytest.approx(750, abs=4 * 750**0.5)


def test_without_an_instance_the_first_request_ends_the_process(desk: Any) -> None:
    begin_all(desk)
    desk.runtime.kill(desk.world, desk.ref("back"))
    desk.run(2)
    error = "rpc error: code = Unavailable desc = name resolver error: produced zero addresses"
    assert desk.ended("front") == ExitState(2, "Error")
    assert desk.texts("front")[-1] == f"panic: {error}"


def test_a_registry_started_again_has_forgotten_its_services(desk: Any) -> None:
    begin_all(desk)
    desk.runtime.kill(desk.world, desk.ref("consul"))
    begin(desk, "consul", "1", attempt=1)
    script = "curl -s http://consul:8500/v1/catalog/services"
    result = desk.runtime.exec(
        desk.world, desk.ref("consul"), ("wget", "-q", "-O", "-", script[8:]), ""
    )
    assert result.stdout == '{"consul":[]}'
    assert desk.ended("front") == ExitState(2, "Error")


def test_a_start_is_tried_again_until_the_attempts_are_used_up(desk: Any) -> None:
    begin(desk, "front", "4")
    desk.run(10)
    lost = "no registry: dial tcp: lookup consul on 10.96.0.10:53: no such host"
    assert desk.texts("front") == [lost, lost, lost, "giving up"]
    assert desk.ended("front") == ExitState(4, "Error")


def test_a_start_succeeds_when_the_registry_comes_in_time(desk: Any) -> None:
    begin(desk, "front", "4")
    begin(desk, "consul", "1")
    desk.run(10)
    assert desk.runtime.listening(desk.world, "4", 80)


def test_a_callee_without_capacity_times_out(desk: Any) -> None:
    begin(desk, "consul", "1")
    begin(desk, "memcached", "2", "cache")
    begin(desk, "back", "3", cpu_limit_cores=0.02)
    begin(desk, "front", "4")
    begin(desk, "load", "5", words=("look", "-R", "40"))
    desk.run(30)
    assert desk.ended("front") is None
    late = "back: rpc error: code = DeadlineExceeded desc = context deadline exceeded"
    begin(desk, "load", "5", attempt=1, words=("look", "-R", "200"))
    desk.run(1)
    assert late in desk.texts("front")
