"""`sregym redteam` on a living world: closed as it is, open where a wall is taken away."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sregym_agent_redteam.judging import Finding, Judge
from sregym_cluster_embedded.cluster import EmbeddedCluster
from sregym_core.conductor import Bench, episode
from sregym_core.errors import ExitCode
from sregym_core.interfaces import Cluster
from sregym_core.policy import Policy, rules
from sregym_core.testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
LOOKING = (
    *("environment", "guessed-names", "discovery", "telemetry", "sums", "impersonation"),
    "escalation",
)
Projects = Callable[..., SregymProject]

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bwrap is not installed: apt-get install bubblewrap"
)


def words(routes: Sequence[str]) -> list[str]:
    return [word for route in routes for word in ("--route", route)]


def test_nothing_leaks_and_everything_is_recorded(sregym_project: Projects) -> None:
    project = sregym_project()
    routes = (*LOOKING, "privileged-containers", "delete-the-load", "exhaust-the-machine")
    done = project.run("redteam", PROBLEM, *words(routes), "--out", "kept", "--json")
    findings = done.assert_success().json()
    assert [(one["route"], one["leaked"]) for one in findings] == [
        (route, False) for route in routes
    ]
    audited = project.run("audit", "kept/episodes/e0001", "--json").assert_success().json()
    tried = [one["what"] for one in audited["attempts"] if one["via"] == "redteam"]
    assert tried == list(routes[:-2])
    refused = {one["answer"] for one in audited["attempts"] if one["via"] == "guard"}
    assert {
        "403",
        "404 hidden",
        "403 acting as somebody else",
        "403 containers that reach into their node (privileged) are not part of this access",
    } <= refused


def test_without_walls_the_machine_leaks(sregym_project: Projects) -> None:
    project = sregym_project()
    routes = ("environment", "command-lines", "lists")
    done = project.run("redteam", PROBLEM, "--isolation", "none", *words(routes))
    assert (done.exit_code, done.out.splitlines()[-1]) == (
        ExitCode.FAILED,
        "2 of 3 routes leaked",
    )
    told = [line.split()[:2] for line in done.out.splitlines()[:3]]
    assert told == [["LEAKED", "environment"], ["LEAKED", "command-lines"], ["closed", "lists"]]


def judged(bench: Bench, folder: Path, *routes: str) -> dict[str, Finding]:
    (folder / "episodes").mkdir()
    problem = bench.problems.get(PROBLEM)
    judge = Judge(bench, problem, "embedded", {}, {"isolation": "bubblewrap"}, 0, folder)
    return {finding.route: finding for finding in judge.findings(routes)}


def test_a_world_without_a_policy_leaks(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing hidden, everybody an administrator: the routes find what was laid out."""
    monkeypatch.setattr(episode, "Policy", lambda _concealed, _identity: Policy())
    monkeypatch.setattr(rules, "forbidden", lambda *_: "")
    routes = ("discovery", "lists", "guessed-names", "tools", "traces-of-hidden-things", "telemetry", "escalation")  # fmt: skip
    found = judged(bench, tmp_path, *routes)
    assert {route: finding.leaked for route, finding in found.items()} == dict.fromkeys(
        routes, True
    )


def test_services_that_count_what_is_hidden_leak(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is hidden is taken out of what they answer, but was summed up before."""
    monkeypatch.setattr(EmbeddedCluster, "observe_for", Cluster.observe_for)
    [(route, finding)] = judged(bench, tmp_path, "sums").items()
    assert (route, finding.leaked) == ("sums", True)
    assert re.fullmatch(r"\d+ pods are counted, \d+ are shown", finding.detail)


def test_a_guard_without_rules_leaks(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sregym_core.policy.policy.forbidden", lambda *_: "")
    monkeypatch.setattr("sregym_core.policy.policy.refusal", lambda *_: None)
    found = judged(bench, tmp_path, "privileged-containers", "webhooks")
    assert {route: finding.leaked for route, finding in found.items()} == {
        "privileged-containers": True,
        "webhooks": True,
    }


def test_walls_that_cannot_be_put_up(sregym_project: Projects, tmp_path: Path) -> None:
    words = ("redteam", PROBLEM, "--isolation", "podman", "--route", "environment")
    done = sregym_project().run(*words, env={"PATH": str(tmp_path)})
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        "sregym: isolation 'podman' needs the program podman: install it, or choose "
        "isolation=bubblewrap\n",
    )


def test_a_route_that_does_not_exist(sregym_project: Projects) -> None:
    done = sregym_project().run("redteam", PROBLEM, "--route", "teleport")
    assert done.exit_code == ExitCode.USAGE
    assert done.err.startswith(
        "sregym: there is no route 'teleport'; there are: environment, session-folder, files, "
    )
    assert json.dumps(done.out) == '""'
