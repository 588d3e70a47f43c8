"""`sregym up`: a person, or any agent, at work with the unmodified kubectl."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
DIAGNOSIS = (
    "Service frontend in namespace hotel-reservation selects no pod: its selector also asks for the "
    "label current_service_name=frontend, which no pod of the frontend has. The selector does not "
    "match; it should be io.kompose.service=frontend alone. All user requests fail."
)
UpWorlds = Callable[..., Any]
Projects = Callable[..., SregymProject]


def test_a_person_repairs_a_world(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM)
    assert sorted(world.ready) == [
        "alerts",
        "endpoints",
        "episode",
        "instruction",
        "kubeconfig",
        "mode",
        "submissions",
        "token",
    ]
    assert {
        "gateway",
        "kubernetes",
        "mcp",
        "mcp_cluster",
        "mcp_logs",
        "mcp_metrics",
        "mcp_submission",
        "mcp_traces",
    } <= set(world.ready["endpoints"])
    folder = Path(world.ready["episode"])
    assert world.ready["kubeconfig"] == str(folder / "kubeconfig")
    firing = {each["labels"]["alertname"] for each in world.ready["alerts"]["alerts"]}
    assert "ServiceEndpointDown" in firing

    looked = world.kubectl("get", "endpoints", "frontend", "-n", "hotel-reservation", "-o", "json")
    assert "subsets" not in json.loads(looked.stdout)
    # The binary computes ages by the wall clock: the world is where that is.
    events = world.kubectl("events", "--all-namespaces").stdout
    assert "LAST SEEN" in events
    assert "<invalid>" not in events

    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    visitor = SregymProject(elsewhere, world.project.environment)
    by_kubeconfig = {"KUBECONFIG": world.ready["kubeconfig"]}
    first = visitor.run("submit", DIAGNOSIS, env=by_kubeconfig).assert_success()
    assert first.out == "diagnosis received; mitigation comes next\n"

    world.repair(PROBLEM)
    by_episode = {"SREGYM_EPISODE": world.ready["episode"]}
    second = visitor.run("submit", "repaired", "--json", env=by_episode).assert_success()
    assert second.json() == {
        "accepted": True,
        "stage": "done",
        "message": "mitigation received; the episode ends",
    }

    verdict = json.loads(world.process.line())
    assert (verdict["outcome"], verdict["diagnosis"]["outcome"]) == ("pass", "pass")
    assert (verdict["mitigation"]["outcome"], verdict["recovered"]) == ("pass", True)
    assert "problem" not in verdict
    assert world.process.end() == (ExitCode.DONE, "", "")
    assert not world.process.children_left()

    late = visitor.run("submit", "once more", env=by_episode).assert_exit(ExitCode.USAGE)
    address = json.loads((folder / "session.json").read_text())["gateway"]
    assert late.err == (
        f"sregym: the session at {address}/submit does not answer: [Errno 111] Connection refused; "
        "is `sregym up` still running?\n"
    )


def test_who_repairs_nothing_fails(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM)
    here = {"KUBECONFIG": world.ready["kubeconfig"]}
    project = world.project
    claims = project.folder / "claims.json"
    claims.write_text(json.dumps({"component": "geo", "kind": "Service", "mechanism": "no memory"}))
    project.run("submit", "geo has no memory", "--claims", str(claims), env=here).assert_success()
    world.kubectl("rollout", "restart", "deployment", "-n", "hotel-reservation")
    project.run("submit", "restarted", env=here).assert_success()
    verdict = json.loads(world.process.line())
    assert verdict["diagnosis"]["outcome"] == "fail"
    assert verdict["mitigation"]["outcome"] == "fail"
    assert (verdict["outcome"], verdict["recovered"]) == ("fail", True)
    assert verdict["steps"] == 3  # two submissions, and one command of an own kubectl
    assert world.process.end() == (ExitCode.FAILED, "", "")


def test_a_world_is_a_new_one_and_its_seed_is_told_with_the_verdict(up_world: UpWorlds) -> None:
    seeds = []
    for number, words in enumerate(((), (), ("--seed", "5"))):
        world = up_world(PROBLEM, "--folder", f"session-{number}", *words)
        assert "seed" not in world.ready
        told = {path.read_text() for path in Path(world.ready["episode"]).iterdir()}
        world.process.interrupt()
        seed = json.loads(world.process.line())["seed"]
        assert not any('"seed"' in text for text in told)
        seeds.append(seed)
    assert len(set(seeds)) == 3
    assert seeds[2] == 5


def test_true_claims_are_enough(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM)
    here = {"KUBECONFIG": world.ready["kubeconfig"]}
    shown = world.project.run("show", PROBLEM, "--reveal", "--json").json()
    truth = shown["revealed"][0]["ground_truth"]
    fields = ("component", "kind", "namespace", "mechanism", "affected")
    change = truth["changed"]
    claims = {name: truth[name] for name in fields}
    claims["detail"] = f"{change['what']}: {change['before']} -> {change['after']}"
    file = world.project.folder / "claims.json"
    file.write_text(json.dumps(claims | {"component": "see the command line"}))
    world.project.run(
        "submit",
        "see claims",
        "--claims",
        "claims.json",
        "--component",
        truth["component"],
        env=here,
    ).assert_success()
    world.repair(PROBLEM)
    world.project.run("submit", "repaired", env=here).assert_success()
    assert json.loads(world.process.line())["outcome"] == "pass"


def test_the_folder_says_nothing(up_world: UpWorlds) -> None:
    """What an agent finds beside its kubeconfig holds no word of the problem."""
    world = up_world(PROBLEM)
    folder = Path(world.ready["episode"])
    assert sorted(path.name for path in folder.iterdir()) == [
        "kubeconfig",
        "session.json",
        "session.pid",
    ]
    text = "".join(path.read_text() for path in folder.iterdir()) + json.dumps(world.ready)
    text = text.replace('"receiver": "default"', "")  # of Alertmanager
    for word in ("selector", "current_service_name", "fault", "inject", PROBLEM):
        assert word not in text
    assert [oct(path.stat().st_mode & 0o077) for path in sorted(folder.glob("[ks]*[gn]"))] == [
        "0o0"
    ] * 2


def test_bad_submissions(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM)
    project = world.project
    here = {"KUBECONFIG": world.ready["kubeconfig"]}
    (project.folder / "no.json").write_text("{")
    (project.folder / "unknown.json").write_text('{"componnet": "geo"}')
    cases = {
        "absent.json": "claims file 'absent.json' cannot be read: No such file or directory",
        "no.json": (
            "claims file 'no.json' is not JSON: Expecting property name enclosed in double quotes: "
            "line 1 column 2 (char 1)"
        ),
        "unknown.json": (
            "the session refused the submission (400): claims, field 'componnet': "
            "unknown; did you mean 'component'?"
        ),
    }
    for file, message in cases.items():
        done = project.run("submit", "x", "--claims", file, env=here)
        assert (done.exit_code, done.out, done.err) == (ExitCode.USAGE, "", f"sregym: {message}\n")
    second = project.run("up", PROBLEM).assert_exit(ExitCode.USAGE)
    pid = world.process.process.pid
    assert second.err == (
        f"sregym: folder {world.ready['episode']!r} serves a session already (process {pid}); "
        "end it or choose another with --folder\n"
    )


def test_a_port_in_use(sregym_project: Projects) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = sregym_project().run("up", PROBLEM, "--port", str(port))
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        f"sregym: port {port} on 127.0.0.1 is in use by another process: choose another port, or 0 "
        "for a free one (option --port)\n",
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder(sregym_project: Projects, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    done = sregym_project().run("up", PROBLEM, "--folder", str(closed / "session"))
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        f"sregym: folder {str(closed / 'session')!r} cannot be written: Permission denied; choose "
        "another with --folder\n",
    )


def test_a_folder_that_is_a_file(sregym_project: Projects) -> None:
    project = sregym_project({"taken": "text"})
    served = project.run("up", PROBLEM, "--folder", "taken")
    assert (served.exit_code, served.err) == (
        ExitCode.USAGE,
        f"sregym: folder {str(project.folder / 'taken')!r} cannot be written: File exists; choose "
        "another with --folder\n",
    )
    played = project.run("run", PROBLEM, "--agent", "noop", "--out", "taken/run")
    assert (played.exit_code, played.err) == (
        ExitCode.USAGE,
        "sregym: folder 'taken/run' cannot be written: Not a directory; choose another with --out\n",
    )


def test_a_run_never_overwrites_another(sregym_project: Projects) -> None:
    project = sregym_project({"kept/run.json": "{}"})
    done = project.run("run", PROBLEM, "--agent", "noop", "--out", "kept")
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        "sregym: folder 'kept' holds a run already; choose another with --out\n",
    )
    assert (project.folder / "kept/run.json").read_text() == "{}"


def test_a_healthy_application_stays_until_ctrl_c(start: Callable[..., Any]) -> None:
    process = start("up", "--application", "hotel-reservation", "--json")
    ready = json.loads(process.line())
    assert (ready["application"], ready["namespaces"]) == (
        "hotel-reservation",
        ["hotel-reservation", "load"],
    )
    assert {"kubernetes", "prometheus", "loki", "jaeger"} <= set(ready["endpoints"])
    assert Path(ready["kubeconfig"]).is_file()
    process.interrupt()
    assert process.end() == (ExitCode.DONE, "", "")
    assert not process.children_left()
