"""Probes that run out of time: what they say comes when the time is over."""

from __future__ import annotations

from typing import Any

import pytest

WORKER = "registry.example/shop/worker:1.0"


def moments(town: Any, seconds: float) -> list[float]:
    """When the probe's event was counted again, in virtual seconds, to the second."""
    found: list[float] = []
    for _ in range(int(seconds * 10)):
        town.run(0.1)
        counts = [count for _, _, count in town.events("Unhealthy")]
        if sum(counts) > len(found):
            found.append(round(town.world.now))
    return found


@pytest.mark.parametrize(("limit_s", "distance_s"), [(3, 5), (5, 5), (7, 7)])
def test_a_probe_fails_when_its_time_is_over(town: Any, limit_s: int, distance_s: int) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', livenessProbe: {{exec: {{command: "
        f"[sleep, '60']}}, timeoutSeconds: {limit_s}, periodSeconds: 5, failureThreshold: 9}}}}]}}"
    )
    first, second, *_ = moments(town, 22.0)
    assert second - first == distance_s
    text = f'Liveness probe failed: command timed out: "sleep 60" timed out after {limit_s}s'
    assert {message for _, message, _ in town.events("Unhealthy")} == {text}


def test_a_container_is_not_killed_before_its_probe_has_run_out_of_time(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', livenessProbe: {{exec: {{command: "
        "[sleep, '60']}, timeoutSeconds: 4, periodSeconds: 5, failureThreshold: 1}}]}",
        run_s=0.2,
    )
    while "running" not in town.state():
        town.run(0.1)
    town.run(3.5)
    assert town.events("Killing", "Unhealthy") == []
    town.run(1.0)
    assert town.events("Killing") == [
        ("Killing", "Container c failed liveness probe, will be restarted", 1)
    ]


def test_a_container_that_does_not_end_at_once_is_not_probed_any_more(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', command: [sh, -c, 'touch /tmp/ok; sleep 8; "
        "rm /tmp/ok; sleep 600'], livenessProbe: {exec: {command: [cat, /tmp/ok]}, "
        "periodSeconds: 5, failureThreshold: 3}}]}"
    )
    town.run(40.0)
    told = {reason: count for reason, _, count in town.events("Killing", "Unhealthy")}
    assert told == {"Unhealthy": 3, "Killing": 1}
    town.run(40.0)
    told = {reason: count for reason, _, count in town.events("Killing", "Unhealthy")}
    assert told == {"Unhealthy": 6, "Killing": 2}


@pytest.mark.parametrize(
    ("handler", "text"),
    [
        (
            "httpGet: {path: /, port: nowhere}",
            'Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "nowhere": '
            "invalid syntax",
        ),
        (
            "tcpSocket: {port: nowhere}",
            'Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "nowhere": '
            "invalid syntax",
        ),
        (
            "httpGet: {host: 127.0.0.1, path: /, port: 8080}",
            'Readiness probe failed: Get "http://127.0.0.1:8080/": dial tcp 127.0.0.1:8080: connect: '
            "connection refused",
        ),
        (
            "tcpSocket: {host: 192.0.2.7, port: 80}",
            "Readiness probe failed: dial tcp 192.0.2.7:80: connect: network is unreachable",
        ),
        (
            "httpGet: {host: nobody.example, path: /x, port: 80}",
            'Readiness probe failed: Get "http://nobody.example:80/x": dial tcp: lookup '
            "nobody.example on 10.77.0.1:53: no such host",
        ),
    ],
)
def test_probes_that_do_not_reach_their_pod(town: Any, handler: str, text: str) -> None:
    web = "name: c, image: 'registry.example/shop/web:1.0'"
    town.pod(f"{{containers: [{{{web}, readinessProbe: {{{handler}}}}}]}}", run_s=3)
    ((_, said, _),) = town.events("Unhealthy")
    assert said == text


def test_a_pod_in_the_network_of_its_node_is_probed_there(town: Any) -> None:
    web = "name: c, image: 'registry.example/shop/web:1.0'"
    probe = "readinessProbe: {tcpSocket: {host: 127.0.0.1, port: 8080}}"
    town.pod(f"{{hostNetwork: true, containers: [{{{web}, {probe}}}]}}", run_s=15)
    assert town.status()["containerStatuses"][0]["ready"]


def test_a_startup_probe_is_over_when_it_has_passed(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', startupProbe: {{exec: {{command: ['true']}}, "
        "periodSeconds: 2}, readinessProbe: {exec: {command: [cat, /none]}, periodSeconds: 30}}]}"
    )
    # The running container is told of once, which asks for a second look at once; then it is
    # probed each thirty seconds.
    town.run(29.0)
    assert [count for _, _, count in town.events("Unhealthy")] == [2]
    town.run(30.0)
    assert [count for _, _, count in town.events("Unhealthy")] == [3]


def test_a_probe_that_fails_for_long_is_counted_as_often_as_it_failed(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', readinessProbe: {{tcpSocket: {{port: 80}}, "
        "periodSeconds: 3}}]}"
    )
    town.run(75.0)
    ((_, _, written),) = town.events("Unhealthy")
    assert written == 25
    town.run(1125.0)
    ((_, _, counted),) = town.events("Unhealthy")
    # Twenty minutes are four hundred turns; the last hundred of them may not be told of yet.
    assert 300 <= counted <= 401
