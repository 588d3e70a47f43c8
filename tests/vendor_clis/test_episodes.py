"""The vendors' real command lines solve a real problem; a server on loopback is their model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from sregym_agents.testing import Provider, final_message, provider, use
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

Projects = Callable[..., SregymProject]
PROBLEM = "wrong_service_selector_hotel_reservation"
SERVICE = "service frontend -n hotel-reservation"
DIAGNOSIS = (
    "Service frontend in namespace hotel-reservation selects no pod: its selector also asks for the "
    "label current_service_name=frontend, which no pod of the frontend has. The selector does not "
    "match; it should be io.kompose.service=frontend alone. All user requests fail."
)
PATCH = '{"spec": {"selector": {"current_service_name": null}}}'
SCRIPT = (
    use("alerts", "I look at what is firing."),
    use("kubectl", command=f"get {SERVICE} -o jsonpath='{{.spec.selector}}'"),
    use("query_metrics", query="up"),
    use("submit", "The selector matches nothing.", text=DIAGNOSIS),
    use("kubectl", command=f"patch {SERVICE} --type=merge -p '{PATCH}'"),
    use("wait", seconds=30),
    use("submit", text="repaired"),
    final_message("All is well."),
)
# Program, and the path of its provider's API.
AGENTS = {"claude-code": ("claude", ""), "codex": ("codex", "/v1"), "gemini": ("gemini", "")}


def play(project: SregymProject, agent: str, server: Provider, *options: str) -> Any:
    program, path = AGENTS[agent]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed; tox -e vendor-clis brings it")
    words = ["run", PROBLEM, "--agent", agent, "--out", "run", "--json"]
    for option in (f"base_url={server.url}{path}", "model=scripted", *options):
        words += ["--agent-option", option]
    return project.run(*words)


@pytest.mark.parametrize("isolation", ["none", "bubblewrap"])
@pytest.mark.parametrize("agent", list(AGENTS))
def test_it_solves_a_problem(agent: str, isolation: str, sregym_project: Projects) -> None:
    if isolation == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: apt-get install bubblewrap")
    project = sregym_project()
    with provider(*SCRIPT) as server:
        done = play(project, agent, server, f"isolation={isolation}")
    [episode] = done.assert_success().json()["episodes"]
    assert (episode["outcome"], episode["recovered"]) == ("pass", True)
    folder = project.folder / "run" / "episodes" / "e0001"
    assert {"agent.jsonl", "agent.log", "record.json"} <= {file.name for file in folder.iterdir()}
    words = ("audit", "run/episodes/e0001", "--json", "--atif", "trajectory.json")
    account = project.run(*words).assert_success().json()
    calls = [(call["tool"], call["class"], call["ok"], call["own"]) for call in account["calls"]]
    assert calls == [
        ("alerts", "observability", True, False),
        ("kubectl", "kubectl read", True, False),
        ("query_metrics", "observability", True, False),
        ("submit", "other", True, False),
        ("kubectl", "kubectl write", True, False),
        ("wait", "wait", True, False),
        ("submit", "other", True, False),
    ]
    assert account["tokens"] == {"prompt": 800, "completion": 80, "cached": 480}
    trajectory = json.loads((project.folder / "trajectory.json").read_text())
    said = [step["message"] for step in trajectory["steps"][1:]]
    assert said == [
        "I look at what is firing.",
        "",
        "",
        "The selector matches nothing.",
        "",
        "",
        "",
        "All is well.",
    ]
    assert trajectory["final_metrics"] == {
        "total_steps": 9,
        "total_prompt_tokens": 800,
        "total_completion_tokens": 80,
        "total_cached_tokens": 480,
    }


@pytest.mark.parametrize("agent", list(AGENTS))
def test_one_that_gives_up_is_graded_as_it_stands(agent: str, sregym_project: Projects) -> None:
    with provider(final_message("I cannot find anything.")) as server:
        done = play(sregym_project(), agent, server)
    [episode] = done.assert_exit(ExitCode.FAILED).json()["episodes"]
    assert episode["outcome"] == "fail"
    assert episode["diagnosis"]["reason"] == "nothing was submitted"
