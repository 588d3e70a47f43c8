"""`--agent shell`: a script of the user's plays an episode with kubectl and `sregym submit`."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
Projects = Callable[..., SregymProject]

AGENT = f"""\
#!/bin/sh
set -eu
submit="{shlex.quote(sys.executable)} -m sregym_core submit"
case "$SREGYM_INSTRUCTION" in *"Hotel Reservation"*) ;; *) exit 9 ;; esac
selector=$(kubectl get service frontend -n hotel-reservation -o jsonpath='{{.spec.selector}}')
$submit "Service frontend in namespace hotel-reservation selects no pod: the selector $selector does \\
not match the labels of the frontend's pods; current_service_name should not be in it. All requests fail."
kubectl patch service frontend -n hotel-reservation --type=merge \\
  -p '{{"spec": {{"selector": {{"current_service_name": null}}}}}}'
kubectl rollout status deployment/frontend -n hotel-reservation
$submit "repaired"
"""


def test_a_script_solves_a_problem(sregym_project: Projects) -> None:
    project = sregym_project({"agent.sh": AGENT})
    command = f"command=sh {project.folder / 'agent.sh'}"
    words = ("run", PROBLEM, "--agent", "shell", "--agent-option", command, "--out", "run")
    [episode] = project.run(*words, "--json").assert_success().json()["episodes"]
    assert (episode["outcome"], episode["recovered"]) == ("pass", True)
    assert episode["diagnosis"]["score"] >= 0.6


def test_a_script_that_gives_up_is_graded_as_it_stands(sregym_project: Projects) -> None:
    project = sregym_project()
    words = ("run", PROBLEM, "--agent", "shell", "--agent-option", "command=exit 5")
    done = project.run(*words, "--out", "run", "--json").assert_exit(ExitCode.FAILED)
    [episode] = done.json()["episodes"]
    assert episode["outcome"] == "fail"
    assert episode["diagnosis"]["reason"].startswith(
        "nothing was submitted; the agent raised RuntimeError: command 'exit 5' ended with exit code 5"
    )


def test_without_a_command_nothing_is_played(sregym_project: Projects) -> None:
    project = sregym_project()
    done = project.run("run", PROBLEM, "--agent", "shell", "--out", "run")
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        "sregym: agent 'shell' needs a command: --agent-option command='./my-agent'\n",
    )


WALLED = """\
set -eu
submit() { wget -qO- --header "Authorization: Bearer $SREGYM_TOKEN" --post-data "{\\"text\\": \\"$1\\"}" \\
  "$SREGYM_GATEWAY/submit"; }
kubectl get service frontend -o jsonpath='{.spec.selector}'
submit "Service frontend selects no pod: its selector asks for current_service_name, which no pod has."
kubectl patch service frontend --type=merge \\
  -p '{"spec": {"selector": {"current_service_name": null}}}'
kubectl exec deploy/frontend -- true
submit repaired
"""


@pytest.mark.skipif(
    not (shutil.which("bwrap") and shutil.which("wget")), reason="bwrap or wget is not installed"
)
def test_a_script_behind_walls_solves_a_problem(sregym_project: Projects) -> None:
    project = sregym_project({"share/agent.sh": WALLED})
    share = project.folder / "share"
    words = ["run", PROBLEM, "--agent", "shell", "--out", "run", "--json"]
    for option in (f"command=sh {share}/agent.sh", "isolation=bubblewrap", f"share={share}"):
        words += ["--agent-option", option]
    [episode] = project.run(*words).assert_success().json()["episodes"]
    assert (episode["outcome"], episode["recovered"]) == ("pass", True)
    record = json.loads((project.folder / "run/episodes/e0001/record.json").read_text())
    asked = {(request["method"], request["status"]) for request in record["requests"]}
    assert {("GET", 200), ("PATCH", 200), ("GET", 101)} <= asked
