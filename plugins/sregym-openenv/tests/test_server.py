"""A server on loopback and its client: sessions, tasks, rewards, and OpenEnv's own checks."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from sregym_core.errors import UsageError
from sregym_openenv import SregymAction, SregymEnv
from sregym_openenv.environment import SregymEnvironment
from sregym_openenv.settings import Settings

FOLDER = Path(__file__).parents[1]
PROBLEM = "wrong_service_selector_hotel_reservation"
SETTINGS = Settings(problems=(PROBLEM,), seeds=(1, 1), max_steps=6, sessions=3)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_a_session_is_played_to_its_end(url: str) -> None:
    with SregymEnv(base_url=url).sync() as env:
        began = env.reset(split="test", index=0, episode_id="mine")
        assert "You are the engineer on call for Hotel Reservation." in began.observation.text
        tools = {one["function"]["name"]: one["function"] for one in began.observation.tools}
        assert next(iter(tools)) == "kubectl"
        assert {*tools["submit"]["parameters"]["properties"]} == {"text", "claims"}
        steps = [
            env.step(SregymAction(command=line)) for line in ("status", "submit x", "submit y")
        ]
        assert [(step.reward, step.done) for step in steps] == [(0, False), (0, False), (0, True)]
        assert steps[-1].observation.metadata == {
            "outcome": "fail",
            "metrics": {"diagnosis": 0.0, "mitigation": 0.0, "steps": 3.0, "seconds": 0.0},
        }
        state = env.state()
        assert (state.episode_id, state.split, state.index, state.done) == ("mine", "test", 0, True)
        assert state.step_count == 3


def test_sessions_do_not_see_each_other(url: str) -> None:
    look = SregymAction(command="kubectl get deployments -n hotel-reservation")
    with SregymEnv(base_url=url).sync() as one, SregymEnv(base_url=url).sync() as other:
        one.reset(index=0)
        other.reset(index=0)
        one.step(SregymAction(command="kubectl delete deployment geo -n hotel-reservation"))
        seen = [env.step(look).observation.text for env in (one, other)]
    assert ["\ngeo " in text for text in seen] == [False, True]


def test_the_oracle_earns_the_full_reward(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script that the manifest names, with the settings of the server."""
    monkeypatch.setenv("SREGYM_OPENENV_PROBLEMS", PROBLEM)
    monkeypatch.setenv("SREGYM_OPENENV_SEEDS", "1,1")
    script = runpy.run_path(str(FOLDER / "validation" / "oracle.py"))
    assert script["main"](url, "test", 0) == 0


def test_tasks_are_told_without_what_is_broken(url: str) -> None:
    splits = httpx.get(f"{url}/sregym/splits").json()
    count = httpx.post(f"{url}/sregym/num_tasks", json={"split": "train"}).json()
    task = httpx.post(f"{url}/sregym/task", json={"split": "train", "index": 0}).json()
    assert "selector" not in json.dumps([splits, count, task])
    assert "You are the engineer on call" in json.dumps(task)
    missing = httpx.post(f"{url}/sregym/task", json={"split": "train", "index": 9})
    assert missing.status_code == 400
    assert missing.json() == {"detail": "Invalid task index"}


@pytest.mark.parametrize("target", ["package", "server"])
def test_openenv_finds_nothing_wrong(target: str, url: str) -> None:
    """What it looks at without a container."""
    words = {"package": [str(FOLDER), "--level", "static"], "server": ["--url", url]}[target]
    program = str(Path(sys.executable).parent / "openenv")
    done = subprocess.run(
        [program, "validate", *words, "--timeout", "60"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("Verdict: PASS\n")
    assert "FAIL" not in done.stdout


def test_settings_come_from_variables() -> None:
    said = {
        "SREGYM_OPENENV_PROBLEMS": "a, b",
        "SREGYM_OPENENV_SEEDS": "3,2",
        "SREGYM_OPENENV_MAX_STEPS": "9",
        "OTHER": "x",
    }
    assert Settings.of(said) == Settings(problems=("a", "b"), seeds=(3, 2), max_steps=9)
    splits = SETTINGS.splits(SETTINGS.rollouts())
    assert {name: [task.seed for task in tasks] for name, tasks in splits.items()} == {
        "train": [0],
        "test": [1],
    }


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("SESSIONS", "0", "a whole number from 1 is needed, not '0'"),
        ("SEEDS", "8", "two whole numbers from 1 are needed, to train and to test: 8,2, not '8'"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_told(name: str, text: str, wrong: str) -> None:
    with pytest.raises(UsageError) as error:
        Settings.of({f"SREGYM_OPENENV_{name}": text})
    assert str(error.value) == f"variable SREGYM_OPENENV_{name}: {wrong}"


def test_a_setting_that_there_is_not_is_told() -> None:
    with pytest.raises(UsageError) as error:
        Settings.of({"SREGYM_OPENENV_SUIT": "lite"})
    assert str(error.value) == (
        "variable SREGYM_OPENENV_SUIT: there is no such setting; there are: "
        "SREGYM_OPENENV_PROBLEMS, SREGYM_OPENENV_SUITE, SREGYM_OPENENV_SEEDS, SREGYM_OPENENV_MODE, "
        "SREGYM_OPENENV_MAX_STEPS, SREGYM_OPENENV_SESSIONS, SREGYM_OPENENV_IDLE_S"
    )


def test_misuse_of_a_session_is_told() -> None:
    rollouts = SETTINGS.rollouts()
    env = SregymEnvironment(rollouts, SETTINGS.splits(rollouts))
    with pytest.raises(UsageError) as too_early:
        env.step(SregymAction(command="status"))
    assert str(too_early.value) == (
        "step: no episode is open; reset first, on a WebSocket session: "
        "each HTTP request has an environment of its own"
    )
    with pytest.raises(IndexError) as no_task:
        env.reset(split="train", index=9)
    assert str(no_task.value) == "split 'train' has tasks 0 to 0, and none 9"
    with pytest.raises(UsageError) as no_split:
        env.reset(split="validation")
    assert str(no_split.value) == "no split 'validation'; there are: train, test"
