"""`kubectl exec` of a command that follows a file: what ends is served here, what does not is not."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, NotCovered, run
from sregym_cluster_embedded.world import World

BOX = """
apiVersion: v1
kind: Pod
metadata: {name: box}
spec: {containers: [{name: box, image: "registry.example/library/busybox:1.36", command: [sleep, "36000"]}]}
"""
WRITER = "(while true; do echo tick; sleep 4; done) > /tmp/log 2>&1 &"


@pytest.fixture
def world(recorded_images: Any) -> World:
    made = build(Blueprint(models=recorded_images))
    assert run(DirectAccess(made), ["apply", "-f", "-"], BOX).exit_code == 0
    made.run_until(made.now + 30)
    written = run(DirectAccess(made), ["exec", "box", "--", "sh", "-c", WRITER])
    assert written == CommandResult(0, "", "")
    return made


def test_a_limit_shows_what_was_written_until_then(world: World) -> None:
    began = world.now
    argv = ["exec", "box", "--", "timeout", "10", "tail", "-f", "/tmp/log"]
    assert run(DirectAccess(world), argv) == CommandResult(
        143, "tick\ntick\ntick\n", "command terminated with exit code 143\n"
    )
    assert world.now - began == pytest.approx(10)


def test_without_an_end_it_is_left_to_the_binary_and_takes_no_time(world: World) -> None:
    began = world.now
    with pytest.raises(NotCovered, match="a command that does not end"):
        run(DirectAccess(world), ["exec", "box", "--", "tail", "-f", "/tmp/log"])
    assert world.now == began


TICKER = """
apiVersion: v1
kind: Pod
metadata: {name: ticker}
spec:
  containers:
  - name: ticker
    image: registry.example/library/busybox:1.36
    command: [sh, -c, "while true; do echo tick; sleep 4; done"]
"""


def test_a_log_with_a_limit_shows_what_was_written_until_then(world: World) -> None:
    assert run(DirectAccess(world), ["apply", "-f", "-"], TICKER).exit_code == 0
    world.run_until(world.now + 30)
    began = world.now
    argv = ["logs", "-f", "ticker", "--tail=0", "--request-timeout=10s"]
    canceled = (
        "net/http: request canceled (Client.Timeout or context cancellation while reading body)"
    )
    done = run(DirectAccess(world), argv)
    assert (done.exit_code, done.stderr) == (1, f"{canceled}\nerror: {canceled}\n")
    assert done.stdout == "tick\ntick\n"
    assert world.now - began == pytest.approx(10)
