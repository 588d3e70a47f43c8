"""Nothing that the machine tells of the harness's processes names the problem."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
# Its fault, too, and what is broken by it.
TELLING = (PROBLEM, "wrong_service", "service-selector")


def family(pid: int) -> list[int]:
    """A process and all that it started, they and their children."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(after_name[1]), []).append(int(stat.parent.name))
    found = [pid]
    for one in found:  # grows while it is walked
        found += parents.get(one, [])
    return found


def told(pid: int) -> Iterator[str]:
    """All that other processes of this user can read of one."""
    place = Path("/proc") / str(pid)
    for name in ("cmdline", "environ", "comm", "cgroup", "status", "maps"):
        yield (place / name).read_bytes().decode(errors="replace")
    for task in place.glob("task/*/comm"):
        yield task.read_text()
    for link in (place / "cwd", place / "exe", *place.glob("fd/*")):
        yield os.readlink(link)  # noqa: PTH115 - where it leads, existing or not


def leaks(pid: int) -> list[str]:
    return [
        text.replace("\0", " ")[:200]
        for member in family(pid)
        for text in told(member)
        if any(word in text for word in TELLING)
    ]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc")
def test_a_served_world_is_not_named(up_world: Callable[..., Any]) -> None:
    world = up_world(PROBLEM, alone=True)
    pid = world.process.process.pid
    assert leaks(pid) == []
    assert "@" in (Path("/proc") / str(pid) / "cmdline").read_text()


def test_what_is_looked_for_is_found_where_it_stands() -> None:
    words = [sys.executable, "-c", "print(flush=True); input()", PROBLEM]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as process:
        try:
            # Just after its start /proc may not show its words yet.
            assert process.stdout is not None
            process.stdout.readline()
            assert leaks(process.pid) == [f"{' '.join(words)} "]
        finally:
            process.communicate(b"\n")


LOOKS = """\
import json, os, sys
from pathlib import Path

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

top = os.getpid()
while parent(top) != int(sys.argv[3]):
    top = parent(top)
found = [top]
everybody = [int(place.name) for place in Path("/proc").glob("[0-9]*")]
for one in found:
    for pid in everybody:
        try:
            found += [pid] if parent(pid) == one else []
        except OSError:
            pass
told = []
for pid in found:
    place = Path(f"/proc/{pid}")
    try:
        told += [(place / name).read_bytes().decode(errors="replace") for name in ("cmdline", "environ", "comm")]
        told += [os.readlink(link) for link in [place / "cwd", *place.glob("fd/*")]]
    except OSError:
        pass
for path in Path(sys.argv[1]).rglob("*"):
    try:
        told += [str(path), path.read_bytes().decode(errors="replace") if path.is_file() else ""]
    except OSError:
        pass
Path(sys.argv[2]).write_text(json.dumps([len(found), told]))
"""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc")
@pytest.mark.parametrize("attempts", [1, 3])
def test_an_agent_that_looks_around_finds_no_name(
    sregym_project: Callable[..., SregymProject], tmp_path: Path, attempts: int
) -> None:
    """Neither of the processes that play it, workers included, nor in the files of the run.

    Those of the attempts before it are among them.
    """
    project = sregym_project({"looks.py": LOOKS})
    out = tmp_path / "seen.json"
    looks = (
        f"command={sys.executable} {project.folder}/looks.py {project.folder} {out} {os.getpid()}"
    )
    words = ("run", PROBLEM, "--agent", "shell", "--agent-option", looks)
    done = project.run(*words, "--attempts", str(attempts), "--jobs", "2")
    assert out.exists(), done.err
    processes, told = json.loads(out.read_text())
    assert processes >= 2
    assert [text for text in told if any(word in text for word in TELLING)] == []
    assert any("/runs/run-0001/episodes/e0001" in text for text in told)
    folder = project.folder / "runs/run-0001"
    for name in ("run.json", "episodes.jsonl", "episodes/e0001/record.json"):
        assert PROBLEM in (folder / name).read_text()
    assert "service" in (folder / "episodes/e0001/journal.jsonl").read_text().lower()
    assert [text[:60] for text in told if text.startswith("{")] == []
