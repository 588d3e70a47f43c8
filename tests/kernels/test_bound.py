"""Guests end with the process that started them, also where that is killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from real.needing import needs
from real.stores import wait_for

KERNELS = Path(__file__).parent
# As a guest is started, and then waited for.
STARTS = {
    "linux.uml": """
with Guest(Path(sys.argv[1])) as guest:
    print(guest.process.pid, flush=True)
    sys.stdin.read()
""",
    # It waits for somebody who lets its processor go on.
    "qemu-system-x86_64": """
words = ("qemu-system-x86_64", "-S", "-nodefaults", "-accel", "tcg", "-display", "none")
guest = Bound(words, f"touch {sys.argv[1]}/killed")
print(guest.pid, flush=True)
sys.stdin.read()
guest.end()
""",
}
HEAD = """
import sys
from pathlib import Path
from real.bound import Bound
from real.guest import Guest
"""
ENDS: dict[str, Callable[[subprocess.Popen[str]], None]] = {
    "killed": lambda starter: starter.kill(),
    "done": lambda starter: starter.stdin.close() if starter.stdin else None,
}


def members(group: int) -> list[str]:
    """Processes of a group that run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state != "Z":
            found.append(path.parent.name)
    return found


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("program", STARTS)
def test_a_guest_ends_with_its_starter(program: str, how: str, tmp_path: Path) -> None:
    needs(program, *(("busybox",) if program == "linux.uml" else ()))
    with subprocess.Popen(
        [sys.executable, "-c", HEAD + STARTS[program], str(tmp_path)],
        cwd=KERNELS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdout is not None
        group = int(starter.stdout.readline())
        assert members(group)
        ENDS[how](starter)
        starter.wait(60)
    assert wait_for(lambda: not members(group), 10)
    if program != "linux.uml":
        told = how == "killed"
        assert wait_for(lambda: (tmp_path / "killed").exists() == told, 10)
