"""Clients outside look on while the world's time keeps pace with the wall clock."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
NAMESPACE = "hotel-reservation"


@pytest.fixture(scope="module")
def world(module_project: SregymProject, request: pytest.FixtureRequest) -> Iterator[Any]:
    up = request.getfixturevalue("module_up")
    with up(module_project, PROBLEM) as put_up:
        yield put_up


def test_ages_are_sensible(world: Any) -> None:
    for resource in ("pods", "deployments", "events", "nodes", "pvc"):
        shown = world.kubectl("get", resource, "-A", "-o", "wide")
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "<invalid>" not in shown.stdout
        assert "<unknown>" not in shown.stdout
    pods = world.kubectl("get", "pods", "-n", NAMESPACE, "--no-headers").stdout.splitlines()
    ages = {line.split()[-1] for line in pods}
    # Days to months, and hours or minutes for what was changed of late; nothing is of tomorrow.
    assert all(re.fullmatch(r"\d+d(\d+h)?|\d+h(\d+m)?|\d+m(\d+s)?|\d+s", age) for age in ages), ages
    assert any("d" in age for age in ages), ages
    assert "<invalid>" not in world.kubectl("describe", "pods", "-n", NAMESPACE).stdout


def test_a_watch_sees_what_happens(world: Any) -> None:
    environment = {**world.project.environment, "KUBECONFIG": world.ready["kubeconfig"]}
    command = ["kubectl", "get", "pods", "-n", NAMESPACE, "-l", "io.kompose.service=geo", "-w"]
    with subprocess.Popen(
        [*command, "--no-headers"], env=environment, stdout=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout is not None
        before = watch.stdout.readline().split()[0]
        world.kubectl("delete", "pod", before, "-n", NAMESPACE, "--wait=false")
        seen = []
        for line in watch.stdout:
            name, ready, status = line.split()[:3]
            seen.append(status)
            if name != before and ready == "1/1":
                break
        watch.send_signal(signal.SIGINT)
    assert "Terminating" in seen
    assert seen[-1] == "Running"


def test_rollouts_can_be_followed(world: Any) -> None:
    assert world.kubectl("rollout", "restart", "deployment/user", "-n", NAMESPACE).returncode == 0
    words = ("rollout", "status", "deployment/user", "-n", NAMESPACE, "--timeout=90s")
    followed = world.kubectl(*words)
    assert (followed.returncode, followed.stderr) == (0, "")
    assert followed.stdout.endswith('deployment "user" successfully rolled out\n')


def test_waiting_and_following_logs(world: Any) -> None:
    words = ("wait", "--for=condition=Available", "deployment/frontend", "-n", NAMESPACE)
    waited = world.kubectl(*words, "--timeout=30s")
    assert (waited.returncode, waited.stdout) == (0, "deployment.apps/frontend condition met\n")

    environment = {**world.project.environment, "KUBECONFIG": world.ready["kubeconfig"]}
    command = ["kubectl", "logs", "-f", "deployment/hotel-load", "-n", "load", "--tail=1"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as follow:
        assert follow.stdout is not None
        lines = [follow.stdout.readline() for _ in range(4)]
        follow.send_signal(signal.SIGINT)
    assert all(" op=" in line for line in lines), lines
    assert len({line.split()[0] for line in lines}) > 1, "a round ended while it was followed"


def test_exec(world: Any) -> None:
    words = ("exec", "deployment/consul", "-n", NAMESPACE, "--", "sh", "-c", "echo out; exit 3")
    done = world.kubectl(*words)
    assert (done.returncode, done.stdout) == (3, "out\n")
    assert done.stderr == "command terminated with exit code 3\n"
    piped = world.kubectl("exec", "-i", *words[1:5], "cat", stdin="through a pipe")
    assert (piped.returncode, piped.stdout) == (0, "through a pipe")


def test_edit(world: Any) -> None:
    editor = world.project.folder / "editor.sh"
    editor.write_text(
        '#!/bin/sh\nsed -i "s/^  annotations:/  annotations:\\n    note: seen/" "$1"\n'
    )
    editor.chmod(0o700)
    world.project.environment["KUBE_EDITOR"] = str(editor)
    world.kubectl("annotate", "deployment", "geo", "-n", NAMESPACE, "first=yes")
    edited = world.kubectl("edit", "deployment", "geo", "-n", NAMESPACE)
    assert (edited.returncode, edited.stdout) == (0, "deployment.apps/geo edited\n")
    shown = world.kubectl("get", "deployment", "geo", "-n", NAMESPACE, "-o", "json")
    assert json.loads(shown.stdout)["metadata"]["annotations"]["note"] == "seen"


def test_the_cluster_knows_what_time_it_is(world: Any) -> None:
    """What the world does now is stamped with wall-clock time."""
    world.kubectl("create", "configmap", "stamped", "-n", NAMESPACE)
    listed = world.kubectl("get", "configmap", "stamped", "-n", NAMESPACE, "--no-headers").stdout
    age = listed.split()[-1]
    assert re.fullmatch(r"[0-9]s", age), age
