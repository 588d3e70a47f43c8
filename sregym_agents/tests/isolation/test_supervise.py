"""What a command may use, and that nothing of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sregym_agents.isolation import supervise

# Two generations, sessions of their own, deaf to everything but the end that nobody can refuse.
SLEEPERS = """
import os, signal, sys
for number in (1, 2, 3, 15):
    signal.signal(number, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pause()
        os._exit(0)
sys.stdout.write("ready\\n")
sys.stdout.flush()
"""
BOMB = "import os\nfor _ in range(11):\n    os.fork()\nimport signal; signal.pause()"


def run(folder: Path, *command: str, timeout_s: float = 30.0) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-I", "-S", supervise.__file__, str(folder), *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout_s, check=False)


def alive(mark: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = file.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in text and str(os.getpid()) != file.parent.name:
            found.append(text)
    return found


@pytest.mark.parametrize(
    ("command", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)]
)
def test_exit_codes_are_told_as_a_shell_does(tmp_path: Path, command: str, code: int) -> None:
    done = run(tmp_path, "/bin/sh", "-c", command)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_children_that_hid_end_with_it(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-hid"
    done = run(tmp_path, sys.executable, "-c", SLEEPERS, mark)
    assert (done.returncode, done.stdout) == (0, "ready\n")
    assert alive(mark) == []


def test_children_end_when_it_is_told_to_end(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-told"
    script = f"{SLEEPERS}\nsignal.pause()"
    words = [sys.executable, "-I", "-S", supervise.__file__, str(tmp_path)]
    with subprocess.Popen(
        [*words, sys.executable, "-c", script, mark], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert alive(mark)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
    assert alive(mark) == []


def test_a_fork_bomb_is_ended(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-bomb"
    done = run(tmp_path, sys.executable, "-c", BOMB, mark, timeout_s=60.0)
    assert (done.returncode, done.stderr) == (
        supervise.STOPPED,
        "the command was ended: more than 512 processes\n",
    )
    assert alive(mark) == []


def test_a_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    script = "f = open('large', 'wb')\nwhile True: f.write(bytes(1 << 24))"
    words = [sys.executable, "-I", "-S", supervise.__file__, str(tmp_path), sys.executable, "-c", script]  # fmt: skip
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("OSError: [Errno 27] File too large\n")
    assert (tmp_path / "large").stat().st_size == supervise.FILE_BYTES
    (tmp_path / "large").unlink()


def test_a_folder_does_not_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_bytes(b"x" * 8192)
    assert supervise.excess(str(tmp_path)) == ""
    monkeypatch.setattr(supervise, "FOLDER_BYTES", 100_000)
    assert supervise.excess(str(tmp_path)) == "more than 0 MiB or 100000 files in its folder"
    monkeypatch.setattr(supervise, "FOLDER_BYTES", 1 << 30)
    monkeypatch.setattr(supervise, "FOLDER_ENTRIES", 10)
    assert supervise.excess(str(tmp_path)) == "more than 1024 MiB or 10 files in its folder"


def test_who_ended_long_ago_does_not_count(tmp_path: Path) -> None:
    """Children that end are taken note of: they would count as processes for ever."""
    script = "for i in $(seq 40); do (true &) ; done; exec sleep 30"
    words = [sys.executable, "-I", "-S", supervise.__file__, str(tmp_path), "/bin/sh", "-c", script]
    with subprocess.Popen(words) as process:
        never = threading.Event()
        left: list[str] = []
        for _ in range(100):
            never.wait(0.05)
            below = subprocess.run(
                ["ps", "--ppid", str(process.pid), "-o", "comm="], capture_output=True, text=True, check=False
            )  # fmt: skip
            left = below.stdout.split("\n")[:-1]
            if left == ["sleep"]:
                break
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert left == ["sleep"]
