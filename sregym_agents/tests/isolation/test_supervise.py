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
BOMB = "import os\nfor _ in range(10):\n    os.fork()\nimport signal; signal.pause()"


def words(
    folder: Path, memory_mib: int = 1024, processors: int = 2, report: int = 1, parent: int = 0
) -> list[str]:
    numbers = map(str, (memory_mib, processors, report, parent or os.getpid()))
    return [sys.executable, "-I", "-S", supervise.__file__, str(folder), *numbers]


def run(
    folder: Path, *command: str, timeout_s: float = 30.0, **limits: int
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*words(folder, **limits), *command],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


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
    with subprocess.Popen(
        [*words(tmp_path), sys.executable, "-c", script, mark], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert alive(mark)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
    assert alive(mark) == []


def test_a_fork_bomb_is_ended(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-bomb"
    # Few processes have much memory: it is not to end them before.
    command = (sys.executable, "-S", "-c", BOMB, mark)
    done = run(tmp_path, *command, timeout_s=60.0, memory_mib=1 << 20)
    assert (done.returncode, done.stdout, done.stderr) == (
        supervise.STOPPED,
        "more than 512 processes",
        "the command was ended: more than 512 processes\n",
    )
    assert alive(mark) == []


def test_a_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    script = "f = open('large', 'wb')\nwhile True: f.write(bytes(1 << 24))"
    started = [*words(tmp_path), sys.executable, "-c", script]
    done = subprocess.run(started, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("OSError: [Errno 27] File too large\n")
    assert (tmp_path / "large").stat().st_size == supervise.FILE_BYTES
    (tmp_path / "large").unlink()


def test_a_folder_does_not_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_bytes(b"x" * 8192)
    assert supervise.full(str(tmp_path)) == ""
    monkeypatch.setattr(supervise, "FOLDER_BYTES", 100_000)
    assert supervise.full(str(tmp_path)) == "more than 0 MiB or 100000 files in its folder"
    monkeypatch.setattr(supervise, "FOLDER_BYTES", 1 << 30)
    monkeypatch.setattr(supervise, "FOLDER_ENTRIES", 10)
    assert supervise.full(str(tmp_path)) == "more than 1024 MiB or 10 files in its folder"


def test_who_ended_long_ago_does_not_count(tmp_path: Path) -> None:
    """Children that end are taken note of: they would count as processes for ever."""
    script = "for i in $(seq 40); do (true &) ; done; exec sleep 300"
    with subprocess.Popen([*words(tmp_path), "/bin/sh", "-c", script]) as process:
        never = threading.Event()
        left: list[str] = []
        for _ in range(1200):
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


# Ways to take memory that are counted differently.
HOGS = {
    "grows": "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
    "shares": "m = mmap.mmap(-1, 96 << 20); m.write(bytes(96 << 20)); signal.pause()",
    "hides-in-files": "f = os.memfd_create('x'); os.write(f, bytes(96 << 20)); signal.pause()",
    "in-small-pieces": (
        "for _ in range(6):\n"
        "    if os.fork() == 0:\n"
        "        kept = bytearray(16 << 20); signal.pause()\n"
        "signal.pause()"
    ),
}


@pytest.mark.parametrize("way", HOGS)
def test_memory_ends(tmp_path: Path, way: str) -> None:
    mark = f"mark-{os.getpid()}-{way}"
    script = f"import mmap, os, signal\n{HOGS[way]}"
    done = run(tmp_path, sys.executable, "-c", script, mark, memory_mib=64)
    assert (done.returncode, done.stdout, done.stderr) == (
        supervise.STOPPED,
        "more than 64 MiB of memory",
        "the command was ended: more than 64 MiB of memory\n",
    )
    assert alive(mark) == []


def test_what_processes_share_counts_once(tmp_path: Path) -> None:
    script = (
        "import os, time\n"
        "kept = bytearray(40 << 20)\n"
        "for _ in range(6):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.6); os._exit(0)\n"
        "for _ in range(6): os.wait()\n"
        "print('well')"
    )
    done = run(tmp_path, sys.executable, "-c", script, memory_mib=100)
    assert (done.returncode, done.stdout, done.stderr) == (0, "well\n", "")


def test_processors_and_what_goes_first(tmp_path: Path) -> None:
    script = (
        "import os\n"
        "score = int(open('/proc/self/oom_score_adj').read())\n"
        "print(len(os.sched_getaffinity(0)), os.nice(0), score)"
    )
    nice = min(os.nice(0) + supervise.NICE, 19)
    for processors in (1, 10_000):
        there = min(processors, len(os.sched_getaffinity(0)))
        done = run(tmp_path, sys.executable, "-c", script, processors=processors)
        assert done.stdout == f"{there} {nice} 1000\n"


def test_the_command_ends_when_the_harness_does(tmp_path: Path) -> None:
    """Who started the supervisor may be ended by force: it cannot say so."""
    mark = f"mark-{os.getpid()}-harness"
    # It is whose id stands for the parent's.
    script = f"import os, subprocess, sys; words = [str(os.getpid()) if word == 'PARENT' else word for word in sys.argv[1:]]; subprocess.run(words + [{mark!r}])"
    started = [*words(tmp_path)[:-1], "PARENT", sys.executable, "-c", f"{SLEEPERS}\nsignal.pause()"]
    with subprocess.Popen(
        [sys.executable, "-c", script, *started], stdout=subprocess.PIPE, text=True
    ) as harness:
        assert harness.stdout is not None
        assert harness.stdout.readline() == "ready\n"
        assert alive(mark)
        harness.kill()
        harness.wait()
        never = threading.Event()
        assert any(not alive(mark) or never.wait(0.05) for _ in range(1200))


def test_a_command_whose_harness_is_gone_already_is_not_started(tmp_path: Path) -> None:
    done = run(tmp_path, "/bin/sh", "-c", "echo started", parent=1)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")
