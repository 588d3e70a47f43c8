"""Exported tasks: what stands in them, what Harbor makes of them, and how they are graded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import UsageError
from sregym_harbor import export
from sregym_harbor.cli import main
from sregym_harbor.sidecar import Sidecar

PROBLEM = "wrong_service_selector_hotel_reservation"
PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    export(folder, [PROBLEM], max_steps=20)
    return folder


@pytest.fixture
def task(tasks: Path) -> Path:
    [found] = tasks.iterdir()
    return found


@pytest.fixture(scope="module")
def sidecar() -> Iterator[Sidecar]:
    variables = {"INCIDENT_TASK": f"{PROBLEM}@0", "INCIDENT_KEY": "k"}
    server = Sidecar.of(variables, ("127.0.0.1", 0))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_only_what_is_beside_the_agent_names_the_problem(task: Path) -> None:
    """Its own container is built of `Dockerfile` and `incident.py`."""
    files = sorted(path for path in task.rglob("*") if path.is_file())
    assert [path.relative_to(task).as_posix() for path in files] == [
        "environment/Dockerfile",
        "environment/docker-compose.yaml",
        "environment/incident/Dockerfile",
        "environment/incident.py",
        "instruction.md",
        "solution/solve.sh",
        "task.toml",
        "tests/grade.py",
        "tests/key",
        "tests/test.sh",
    ]
    naming = [path.name for path in files if "selector" in path.read_text()]
    assert naming == ["docker-compose.yaml", "solve.sh", "task.toml"]
    assert "selector" not in task.name


def test_harbor_reads_the_task_and_finds_nothing_wrong(task: Path) -> None:
    model = pytest.importorskip("harbor.models.task.task", reason="Harbor needs Python 3.12")
    read = model.Task(task)
    assert read.config.schema_version == "1.4"
    assert read.config.task.short_name == task.name
    assert read.instruction.startswith("You are the engineer on call for Hotel Reservation.")


def test_doing_nothing_earns_nothing(tasks: Path, tmp_path: Path) -> None:
    trajectories = pytest.importorskip(
        "harbor.models.trajectories", reason="Harbor needs Python 3.12"
    )
    words = ["run", "--path", str(tasks), "--agent", "nop", "--jobs-dir", str(tmp_path)]
    local = ["--env", "sregym_harbor.local:LocalEnvironment", "--yes", "--quiet"]
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [PROGRAMS / "harbor", *words, *local],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    [verifier] = tmp_path.glob("*/*/verifier")
    assert json.loads((verifier / "reward.json").read_text()) == {
        "reward": 0.0,
        "diagnosis": 0.0,
        "mitigation": 0.0,
        "steps": 0.0,
    }, done.stdout
    told = json.loads((verifier / "trajectory.json").read_text())
    assert trajectories.Trajectory.model_validate(told).schema_version == "ATIF-v1.8"


def ask(sidecar: Sidecar, path: str, body: object | None = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{sidecar.server_port}{path}", data) as said:
            return said.status, json.load(said)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_the_commands_of_the_agent_reach_the_incident(
    sidecar: Sidecar, task: Path, tmp_path: Path
) -> None:
    for name in ("incident", "kubectl", "submit"):
        (tmp_path / name).symlink_to(task / "environment" / "incident.py")
    (tmp_path / "note.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note, namespace: load}\n"
    )
    lines = {
        "kubectl get deployments -n load -o name": "deployment.apps/hotel-load",
        "kubectl apply -f note.yaml": "configmap/note created",
        "kubectl delete --filename=note.yaml": 'configmap "note" deleted from load namespace',
        "incident wait 5": "",
        """incident wait '{"seconds": 5}'""": "",
    }
    url = f"http://127.0.0.1:{sidecar.server_port}"
    environment = {**os.environ, "INCIDENT_URL": url}
    for line, wanted in lines.items():
        name, _, rest = line.partition(" ")
        words = f"{sys.executable} {tmp_path / name} {rest}"
        done = subprocess.run(
            ["bash", "-c", words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), line
        assert done.stdout.startswith(wanted), line
    refused = subprocess.run(
        [sys.executable, tmp_path / "kubectl", "get", "nothing"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (refused.returncode, refused.stdout) == (1, "")


def test_who_has_no_key_gets_no_verdict_and_a_graded_incident_is_over(sidecar: Sidecar) -> None:
    assert ask(sidecar, "/health") == (200, {"ok": True})
    assert ask(sidecar, "/grade", {"key": "guess"}) == (403, {"error": "not for you"})
    assert ask(sidecar, "/secrets") == (404, {"error": "nothing at /secrets"})
    assert ask(sidecar, "/secrets", {}) == (404, {"error": "nothing at /secrets"})
    assert ask(sidecar, "/call", []) == (400, {"error": "the body is no JSON object"})
    assert ask(sidecar, "/call", {"tool": 1}) == (
        400,
        {"error": "tool (text) and arguments (an object) are needed"},
    )
    status, graded = ask(sidecar, "/grade", {"key": "k"})
    assert (status, graded["reward"], graded["outcome"]) == (200, 0.0, "fail")
    assert ask(sidecar, "/grade", {"key": "k"}) == (200, graded)
    assert ask(sidecar, "/call", {"tool": "status"}) == (
        200,
        {"text": "the episode is over", "ok": False, "done": True},
    )


def test_what_cannot_be_exported_or_served_is_told(
    tasks: Path, task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(tasks), PROBLEM]) == 2
    assert capsys.readouterr().err == (
        f"sregym-harbor: folder {task}: it is there already; remove it, or export elsewhere\n"
    )
    with pytest.raises(UsageError) as error:
        Sidecar.of({"INCIDENT_TASK": "x"}, ("127.0.0.1", 0))
    assert str(error.value) == ("variable INCIDENT_KEY is not set; the task's compose file sets it")
