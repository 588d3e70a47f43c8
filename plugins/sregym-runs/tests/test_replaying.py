"""Recorded commands, and what a run says of its episodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import Budget, Command
from sregym_core.model import EpisodeRecord, Outcome
from sregym_core.problems import parse_problem
from sregym_runs import read_recorded
from sregym_runs.replaying import as_command

RECORD = EpisodeRecord(
    episode="e0001",
    problem="p",
    agent="someone",
    seed=3,
    cluster="embedded",
    outcome=Outcome.PASS,
)
PROBLEM = parse_problem(
    "id: p\ntitle: t\napplication: shop\nlayer: kubernetes\nsuites: []\nnoise_level: 1\n"
    "faults: [{fault: cpu-limit, target: cart}]\n",
    "p.yaml",
)
HEAD = {"problems": ["p"], "agents": ["someone"], "seeds": [3], "cluster": "embedded"}


@pytest.mark.parametrize(
    "command",
    [
        Command(("kubectl", "apply", "-f", "-"), "kind: Service\nmetadata: {name: 'a'}\n"),
        Command(("kubectl", "patch", "svc", "x", "-p", '{\n  "spec": {}\n}')),
    ],
)
def test_commands_come_back_from_their_text(command: Command) -> None:
    assert as_command(str(command)) == command


@pytest.mark.parametrize(
    "text", ["get pods -n shop", "kubectl get pods | grep web", "kubectl get 'pods"]
)
def test_what_an_agent_typed_is_typed_again(text: str) -> None:
    """What was refused then is refused again."""
    assert as_command(text) == text


def run_folder(folder: Path, request: dict[str, object] | None) -> Path:
    episode = folder / "episodes" / "e0001"
    episode.mkdir(parents=True)
    (episode / "record.json").write_text(RECORD.model_dump_json())
    head = HEAD if request is None else {**HEAD, "request": request}
    (folder / "run.json").write_text(json.dumps(head))
    return episode


def test_the_limits_of_a_run(tmp_path: Path) -> None:
    limits = {"episode_s": 60.0, "wall_s": 5.0, "steps": 7, "tokens": None}
    run_folder(tmp_path, {"budget": limits})
    found = read_recorded(tmp_path / "e0001")
    assert (found.record, found.budget) == (RECORD, Budget(60.0, None, 7, None))


def test_an_older_run_has_the_usual_limits(tmp_path: Path) -> None:
    found = read_recorded(run_folder(tmp_path, None))
    assert (found.options, found.budget) == (None, Budget(wall_s=None))


def test_a_damaged_budget(tmp_path: Path) -> None:
    episode = run_folder(tmp_path, {"budget": {"hours": 1}})
    with pytest.raises(UsageError) as damaged:
        read_recorded(episode)
    assert str(damaged.value) == (
        f"'{tmp_path}/run.json' is damaged: its budget: Budget.__init__() got an unexpected keyword "
        "argument 'hours'"
    )


def test_noise_is_that_of_the_episode(tmp_path: Path) -> None:
    """A run may play a problem at several levels: the record says which was this one's."""
    episode = run_folder(tmp_path, {"noise": {"p": ["pod-restart=2"]}, "noise_levels": [0, 2]})
    loud = RECORD.model_copy(update={"noise_level": 2})
    (episode / "record.json").write_text(loud.model_dump_json())
    again = read_recorded(episode).problem(PROBLEM)
    assert (again.noise, again.noise_level) == (("pod-restart=2",), 2)
    assert again == PROBLEM.model_copy(update={"noise": again.noise, "noise_level": 2})
