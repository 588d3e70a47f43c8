"""A campaign on a Ray cluster of several node processes, one of which is killed in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from sregym_core.errors import UsageError
from sregym_core.interfaces import EpisodeRequest
from sregym_runner_ray.runner import RayRunner
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
DEADLINE_S = 400.0
# Ray replaces loopback addresses by others where it thinks of several machines.
LOOPBACK = ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
NODE = {"num_cpus": 1, "include_dashboard": False}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head that plays nothing, and two nodes with a processor each, on loopback."""
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "200")
    monkeypatch.setenv(*LOOPBACK)
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0})
    try:
        yield made
    finally:
        made.shutdown()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # of Ray's own processes and sockets
def test_a_node_is_killed_in_the_middle(
    cluster: Any, sregym_project: Callable[..., SregymProject]
) -> None:
    first, second = cluster.add_node(**NODE), cluster.add_node(**NODE)
    plan = {
        "name": "far",
        "problems": [PROBLEM],
        "agents": ["noop", "restart-loop"],
        "baselines": [],
        "seeds": [0, 1, 2, 3],
        "backoff_s": 0,
        "runner": {"name": "ray", "jobs": 2, "options": {"address": cluster.address}},
    }
    project = sregym_project({"campaign.yaml": yaml.safe_dump(plan)})
    process = subprocess.Popen(
        project.command("campaign", "run", "campaign.yaml", "--json"),
        cwd=project.folder,
        env={**project.environment, LOOPBACK[0]: LOOPBACK[1]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    folder = project.folder / "campaigns" / "far" / "records"
    ends = time.monotonic() + DEADLINE_S
    while not (folder.exists() and [*folder.iterdir()]):
        assert time.monotonic() < ends
        assert process.poll() is None, process.communicate()
        os.sched_yield()
    cluster.remove_node(second, allow_graceful=False)  # SIGKILL
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, err.decode()
    told = json.loads(out)
    assert (told["played"], told["left"], told["given_up"]) == (8, 0, 0)
    assert told["tries"]["graded"] == 8
    assert told["tries"].get("process lost", 0) >= 1
    kept = [json.loads(path.read_text())["try"] for path in sorted(folder.iterdir())]
    graded = [one["cell"] for one in kept if one["kind"] == "graded"]
    assert sorted(graded) == [f"e{number:05d}" for number in range(1, 9)]
    assert all(
        one["why"].startswith(("NodeDiedError", "WorkerCrashedError"))
        for one in kept
        if one["kind"] == "process lost"
    )
    assert first in cluster.worker_nodes


def test_options_are_looked_at_without_a_cluster() -> None:
    with pytest.raises(UsageError) as refused:
        RayRunner(None, {"adress": "auto"})
    assert str(refused.value) == "runner 'ray' has no option 'adress'; it has: address, env"
    with pytest.raises(UsageError) as refused:
        RayRunner(None, {"env": "NO_SUCH_KEY_OF_ANYBODY"})
    assert str(refused.value) == (
        "runner 'ray': option env names NO_SUCH_KEY_OF_ANYBODY, which is not set"
    )
    RayRunner(2, {"address": "127.0.0.1:1"}).close()  # connects when something is to be played


def test_a_cluster_that_is_not_there() -> None:
    runner = RayRunner(1, {"address": "127.0.0.1:1"})
    with pytest.raises(UsageError) as refused:
        runner.begin(EpisodeRequest("e", None, "noop"), None)  # type: ignore[arg-type]  # is not looked at
    assert str(refused.value) == (
        "runner 'ray' reaches no cluster at '127.0.0.1:1': [Errno 111] Connection refused"
    )
