"""A run that was killed or interrupted is gone on with: what is done stays, the rest is played."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

from sregym_core import __version__

PROBLEM = "wrong_service_selector_hotel_reservation"
MINE = """
id: mine
title: The frontend leads to a wrong port
application: hotel-reservation
layer: kubernetes
faults:
  - {fault: service-target-port, target: frontend}
"""
Starts = Callable[..., Any]
# It ends by itself in the first two episodes, and never in the third while `go` is missing.
COMMAND = "command=mkdir {folder}/$(ls {folder} | wc -l); test $(ls {folder} | wc -l) -lt 3 -o -e {folder}/../go || sleep 600"


def _wait_for(condition: Callable[[], bool]) -> None:
    never = threading.Event()
    for _ in range(1200):
        if condition():
            return
        never.wait(0.05)
    pytest.fail("it never came so far")


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_what_is_done_stays_and_the_rest_is_played(
    start: Starts, sregym_project: Callable[..., SregymProject], number: signal.Signals
) -> None:
    project = sregym_project()
    seen = project.folder / "seen"
    seen.mkdir()
    folder = project.folder / "run"
    words = ("run", PROBLEM, "--agent", "shell", "--attempts", "4", "--jobs", "1", "--seed", "5")
    more = ("--steps", "50", "--out", "run", "--report", "console")
    option = COMMAND.format(folder=seen)
    run = start(*words, *more, "--agent-option", option)
    _wait_for(lambda: len(list(seen.iterdir())) == 3)
    busy = project.run("run", "--resume", "run")
    assert (busy.exit_code, busy.err) == (
        ExitCode.USAGE,
        "sregym: another process plays the run in 'run'; wait until it has ended\n",
    )
    os.kill(run.process.pid, number)
    run.process.wait()
    before = [project.run("audit", f"run/episodes/e000{n}", "--json").json() for n in (1, 2)]
    # Killed, it could not unseal what agents must not read.
    sealed = number is signal.SIGKILL
    for name in ("run.json", "episodes.jsonl", "episodes/e0001/record.json"):
        assert (PROBLEM in (folder / name).read_text()) is not sealed
    (folder / "episodes" / "e0003" / "record.json.part").write_text('{"episode": ')
    (project.folder / "go").touch()
    done = project.run("run", "--resume", "run", "--jobs", "2", "--json")
    assert (done.exit_code, done.err) == (ExitCode.FAILED, "")
    records = _lines(folder)
    assert sorted(record["episode"] for record in records) == ["e0001", "e0002", "e0003", "e0004"]
    assert [record["seed"] for record in sorted(records, key=lambda one: str(one["episode"]))] == [
        *(5, 6, 7, 8)
    ]
    assert {record["outcome"] for record in records} == {"fail"}
    assert before == [
        project.run("audit", f"run/episodes/e000{n}", "--json").json() for n in (1, 2)
    ]
    assert not list((Path(run.environment["HOME"]) / ".local/state/sregym").iterdir())
    for name in ("run.json", "episodes.jsonl", "episodes/e0001/record.json"):
        assert PROBLEM in (folder / name).read_text()
    assert json.loads((folder / "run.json").read_text())["summary"]["episodes"] == 4
    assert [episode["episode"] for episode in json.loads(done.out)["episodes"]] == [
        *("e0001", "e0002", "e0003", "e0004")
    ]
    assert list(folder.rglob("*.part")) == []
    again = project.run("run", "--resume", "run", "--json")
    assert json.loads(again.out) == json.loads(done.out)


def test_a_problem_of_a_file_is_gone_on_with_as_it_was(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project({"mine.yaml": MINE})
    words = ("run", "mine.yaml", "--agent", "noop", "--attempts", "2", "--jobs", "1")
    more = ("--out", "run", "--report", "console", "--timing", "window_s=40")
    assert project.run(*words, *more).exit_code == ExitCode.FAILED
    before = sorted(_lines(project.folder / "run"), key=lambda one: str(one["episode"]))
    shutil.rmtree(project.folder / "run" / "episodes" / "e0002")
    (project.folder / "mine.yaml").write_text("id: another\n")
    done = project.run("run", "--resume", "run", "--json")
    assert (done.exit_code, done.err) == (ExitCode.FAILED, "")
    after = sorted(_lines(project.folder / "run"), key=lambda one: str(one["episode"]))
    assert [(one["episode"], one["problem"], one["seed"]) for one in after] == [
        ("e0001", "mine", 0), ("e0002", "mine", 1),
    ]  # fmt: skip
    assert [one["mitigation"] for one in after] == [one["mitigation"] for one in before]


def test_what_cannot_be_gone_on_with(sregym_project: Callable[..., SregymProject]) -> None:
    project = sregym_project({"empty/x": "", "old/run.json": "{}"})
    words = ("run", PROBLEM, "--agent", "noop", "--out", "run", "--report", "console")
    assert project.run(*words).exit_code == ExitCode.FAILED
    head = json.loads((project.folder / "run" / "run.json").read_text())
    del head["request"]
    (project.folder / "old" / "run.json").write_text(json.dumps(head))
    (project.folder / "other").mkdir()
    head["request"] = {}
    head["plugins"][0]["version"] = "0.0.1"
    (project.folder / "other" / "run.json").write_text(json.dumps(head))
    plugin = head["plugins"][0]["distribution"]
    (project.folder / "gone").mkdir()
    head["plugins"][0] = {"name": "x", "distribution": "acme-x", "version": "2.1", "state": "ok"}
    (project.folder / "gone" / "run.json").write_text(json.dumps(head))
    (project.folder / "blocked").mkdir()
    last = head["plugins"][-1]
    last["state"] = (
        "blocked"  # what is not as it was is told before what is missing: it may list that
    )
    (project.folder / "blocked" / "run.json").write_text(json.dumps(head))
    for given, message in (
        (
            ("--resume", "empty"),
            "'empty' is no run: it has no run.json; give the folder that `sregym run` named",
        ),
        (
            ("--resume", "old"),
            "run 'old' cannot be gone on with: its run.json does not say with which budget, noise "
            "and options it was begun; play it again with --out",
        ),
        (
            ("--resume", "other"),
            f"run 'other' was begun with {plugin} 0.0.1, which is {__version__} now: its episodes would "
            "not compare; install that version, or play it again with --out",
        ),
        (
            ("--resume", "gone"),
            "run 'gone' was begun with acme-x 2.1, which is not installed: its episodes would not "
            "compare; install that version, or play it again with --out",
        ),
        (
            ("--resume", "blocked"),
            f"run 'blocked' was begun with {last['distribution']} {last['version']}, which was "
            "blocked and is ok now: its episodes would not compare; use the same plugins, or play "
            "it again with --out",
        ),
        (
            ("--resume", "run", "--agent", "noop"),
            "--resume goes on with what the run was begun with; leave out --agent",
        ),
        (
            (PROBLEM, "--resume", "run"),
            "--resume goes on with what the run was begun with; leave out PROBLEM",
        ),
        ((PROBLEM,), "no agent was named: give --agent NAME (see: sregym run --help)"),
    ):
        done = project.run("run", *given)
        assert (done.exit_code, done.err) == (ExitCode.USAGE, f"sregym: {message}\n")
