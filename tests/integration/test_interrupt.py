"""Ctrl-C at any point: recovered, recorded, exit code 2, nothing left running."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
Starts = Callable[..., Any]


def _records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "episodes.jsonl").read_text().splitlines()
    return sorted(map(json.loads, lines), key=lambda record: str(record["episode"]))


def _wait_for(condition: Callable[[], bool], timeout_s: float = 60.0) -> None:
    never = threading.Event()
    for _ in range(int(timeout_s / 0.02)):
        if condition():
            return
        never.wait(0.02)
    pytest.fail("it never came so far")


def test_in_up(start: Starts) -> None:
    """In an interpreter of its own: commands of the other tests are forked."""
    up = start("up", PROBLEM, "--json", alone=True)
    up.line()
    up.interrupt()
    code, out, err = up.end()
    verdict = json.loads(out)
    assert (code, err) == (ExitCode.INTERRUPTED, "")
    assert (verdict["outcome"], verdict["reason"]) == ("error", "interrupted by the user")
    assert verdict["recovered"] is True
    assert not up.children_left()


def test_in_up_before_it_is_ready(
    start: Starts, sregym_project: Callable[..., SregymProject]
) -> None:
    folder = sregym_project().folder / "sregym-session"
    up = start("up", PROBLEM, "--json")
    _wait_for((folder / "session.pid").exists)
    up.interrupt()
    code, out, err = up.end()
    assert code == ExitCode.INTERRUPTED
    if out:  # the episode had begun, so it has its verdict
        assert (json.loads(out)["reason"], err) == ("interrupted by the user", "")
    else:
        assert err == "interrupted\n"
    assert not (folder / "session.json").exists()
    assert not up.children_left()


def test_before_anything_stands(
    start: Starts, sregym_project: Callable[..., SregymProject]
) -> None:
    """While the application is being deployed."""
    folder = sregym_project().folder / "run"
    run = start("run", PROBLEM, "--agent", "noop", "--jobs", "1", "--out", "run")
    _wait_for((folder / "run.json").exists)
    run.interrupt()
    code, _, err = run.end()
    assert code == ExitCode.INTERRUPTED
    assert "Traceback" not in err
    assert json.loads((folder / "run.json").read_text())["summary"]["episodes"] <= 1
    assert not run.children_left()


@pytest.mark.parametrize(
    ("jobs", "alone"),
    [
        pytest.param("1", None, marks=pytest.mark.thorough),
        ("2", None),
        ("1", signal.SIGHUP),
        ("2", signal.SIGTERM),
    ],
)
def test_in_a_run(
    start: Starts,
    sregym_project: Callable[..., SregymProject],
    jobs: str,
    alone: signal.Signals | None,
) -> None:
    """The agents `shell` wait for ever; the signal ends them, their episodes are recovered.

    A terminal tells the whole group. A closed one and the time limit of a job tell one process.
    """
    folder = sregym_project().folder / "run"
    words = ("run", PROBLEM, "--agent", "shell", "--attempts", "3", "--jobs", jobs, "--out", "run")
    # The command goes its own way: only the harness can end it.
    run = start(*words, "--json", "--agent-option", "command=echo $$ > pid; trap '' INT; sleep 600")
    _wait_for(lambda: len(list(folder.glob("episodes/e*/journal.jsonl"))) >= int(jobs))
    _wait_for(lambda: _agents(run) == int(jobs))
    if alone is None:
        run.interrupt()
    else:
        run.process.send_signal(alone)
    code, out, err = run.end()
    assert code == ExitCode.INTERRUPTED
    assert err == "interrupted; what was playing is recovered and recorded in run\n"
    printed = json.loads(out)
    records = _records(folder)
    assert [record["episode"] for record in records] == ["e0001", "e0002"][: int(jobs)]
    assert {record["outcome"] for record in records} == {"error"}
    assert {record["reason"] for record in records} == {"interrupted by the user"}
    assert [record["recovered"] for record in records] == [True] * int(jobs)
    assert [episode["episode"] for episode in printed["episodes"]] == [
        record["episode"] for record in records
    ]
    assert json.loads((folder / "run.json").read_text())["summary"] == printed["summary"]
    assert not run.children_left()
    assert _agents(run) == 0


def test_in_a_run_whose_processes_all_end(
    start: Starts, sregym_project: Callable[..., SregymProject]
) -> None:
    """SIGTERM for the whole group ends workers before anybody could tell them."""
    folder = sregym_project().folder / "run"
    words = ("run", PROBLEM, "--agent", "shell", "--attempts", "3", "--jobs", "2", "--out", "run")
    run = start(*words, "--json", "--agent-option", "command=sleep 600")
    _wait_for(lambda: len(list(folder.glob("episodes/e*/journal.jsonl"))) >= 2)
    os.killpg(run.process.pid, signal.SIGTERM)
    code, _, err = run.end()
    assert code == ExitCode.INTERRUPTED
    assert err == "interrupted; what was playing is recovered and recorded in run\n"
    assert {(record["outcome"], record["reason"]) for record in _records(folder)} == {
        ("error", "its worker process was ended together with the command")
    }


def _agents(run: Any) -> int:
    """How many commands of agents of this test run, found by a variable of their environment."""
    marker = f"HOME={run.environment['HOME']}\0".encode()
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            sleeps = (process / "cmdline").read_bytes() == b"sleep\x00600\x00"
            count += sleeps and marker in (process / "environ").read_bytes()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return count


@pytest.mark.parametrize(
    ("jobs", "number"),
    [
        pytest.param("1", signal.SIGINT, marks=pytest.mark.thorough),
        ("2", signal.SIGINT),
        ("2", signal.SIGTERM),
    ],
)
def test_proofs_that_are_there_are_kept(start: Starts, jobs: str, number: signal.Signals) -> None:
    """The slow one comes first; it keeps the quick one's line back neither here nor at the end.

    A service manager ends all processes of a group with SIGTERM, which ends workers at once.
    """
    slow, quick = (
        "astronomy_shop_ad_service_high_cpu",
        "wrong_service_selector_hotel_reservation_single",
    )
    several = (slow, quick) if jobs == "2" else (quick, slow)
    verify = start("verify", *several, "--jobs", jobs)
    assert re.fullmatch(rf"{quick}: proved \(\d+ checks, [\d.]+ s\)\n", verify.line())
    os.killpg(verify.process.pid, number)
    code, out, err = verify.end()
    assert code == ExitCode.INTERRUPTED
    assert re.fullmatch(
        r"1 of 1 problems proved in [\d.]+ s \([\d.]+ s of CPU\)\n"
        rf"interrupted: 1 more is not finished: {slow}\n",
        out,
    )
    assert err == "2 problems to prove\n"
    assert not verify.children_left()
