"""Killed without a warning: nothing goes on, and the next start clears away what was left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import ExitCode
from sregym_kubernetes.scratch import ScratchFolder, clear_abandoned
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
Starts = Callable[..., Any]


def _wait_for(condition: Callable[[], bool], timeout_s: float = 60.0) -> None:
    never = threading.Event()
    for _ in range(int(timeout_s / 0.05)):
        if condition():
            return
        never.wait(0.05)
    pytest.fail("it never came so far")


def _processes(mark: bytes) -> list[int]:
    """Those of this user with a variable in their environment, but for this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def test_a_killed_run_leaves_no_process_and_the_next_one_clears_its_folders(
    start: Starts, sregym_project: Callable[..., SregymProject]
) -> None:
    project = sregym_project({"tmp/kept": ""})
    temporary = project.folder / "tmp"
    environment = {"TMPDIR": str(temporary), "MARK": str(project.folder)}
    words = ("run", PROBLEM, "--agent", "shell", "--attempts", "4", "--jobs", "2", "--out", "run")
    option = "command=echo $$ > pid; trap '' INT TERM; sleep 600"
    run = start(*words, "--agent-option", option, env=environment)
    mark = f"MARK={project.folder}".encode()
    home = f"HOME={run.environment['HOME']}".encode()

    def agents() -> list[int]:
        return [pid for pid in _processes(home) if _command(pid) == b"sleep\x00600\x00"]

    _wait_for(lambda: len(agents()) == 2)
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()
    _wait_for(lambda: not _processes(mark))
    _wait_for(lambda: not agents())
    assert len(list(temporary.iterdir())) > 1
    again = project.run(
        "run", PROBLEM, "--agent", "noop", "--attempts", "2", "--jobs", "2", "--out", "other",
        "--report", "console", env=environment,
    )  # fmt: skip
    assert again.exit_code == ExitCode.FAILED
    assert [path.name for path in temporary.iterdir()] == ["kept"]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _program(*lines: str) -> str:
    return "\n".join(lines)


def test_a_second_signal_ends_at_once() -> None:
    program = _program(
        "import signal, threading",
        "from sregym_core.__main__ import _Ending",
        "signal.signal(signal.SIGTERM, _Ending())",
        "try:",
        "    print('ready', flush=True)",
        "    threading.Event().wait()",
        "except KeyboardInterrupt:",
        "    print('first', flush=True)",
        "    threading.Event().wait()",
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)  # together with the first one: the same
        assert process.stdout.readline() == "first\n"
        never = threading.Event()
        while process.poll() is None:
            never.wait(0.1)
            process.send_signal(signal.SIGTERM)
        assert (
            process.returncode,
            process.stdout.read(),
            process.stderr and process.stderr.read(),
        ) == (
            ExitCode.INTERRUPTED,
            "",
            "ended at once: what was playing is not recorded\n",
        )


def test_folders_that_somebody_holds_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "cluster-of-others").mkdir(mode=0o700)
    held = ScratchFolder("cluster-")
    clear_abandoned()
    assert Path(held.name).is_dir()
    held.cleanup()
    held.cleanup()
    assert [path.name for path in tmp_path.iterdir()] == ["cluster-of-others"]


def test_folders_of_a_process_that_was_killed_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "import os, signal\n"
        "from sregym_kubernetes.scratch import ScratchFolder\n"
        "folder = ScratchFolder('cluster-')\n"
        "open(folder.name + '/kubeconfig', 'w').close()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False
    )
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    clear_abandoned()
    assert list(tmp_path.iterdir()) == []


def test_the_episode_of_a_worker_that_dies_is_an_error_and_the_others_go_on(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project({"once.py": ""})
    mark = project.folder / "seen"
    script = project.folder / "once.py"
    script.write_text(
        "import os, signal\nfrom pathlib import Path\n"
        f"try:\n    Path({str(mark)!r}).mkdir()\n"
        "except FileExistsError:\n    raise SystemExit from None\n"
        "stat = Path(f'/proc/{os.getppid()}/stat').read_text()\n"
        "os.kill(int(stat.rpartition(')')[2].split()[1]), signal.SIGKILL)\nsignal.pause()\n"
    )
    option = f"command=exec {sys.executable} {script}"
    done = project.run(
        "run", PROBLEM, "--agent", "shell", "--agent-option", option, "--attempts", "4",
        "--jobs", "2", "--out", "run",
    )  # fmt: skip
    assert (done.exit_code, done.err) == (ExitCode.FAILED, "")
    lines = (project.folder / "run" / "episodes.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert sorted(record["episode"] for record in records) == ["e0001", "e0002", "e0003", "e0004"]
    assert sorted(record["outcome"] for record in records) == ["error", "fail", "fail", "fail"]
