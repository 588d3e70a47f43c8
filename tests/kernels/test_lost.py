"""Whoever asks for a change is lost on the way: the machine goes on, and heals."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from real.needing import leftovers
from real.stores import wait_for
from sregym_nodes.remote import NodeAgent


def children(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []


def test_who_asks_is_killed_while_it_tries(agent: NodeAgent, tmp_path: Path) -> None:
    """Its trial, which has the lock of the journal, goes with it; so do tracers."""
    agent.facts()
    (library,) = (tmp_path / "nodectl").glob("lib-*")
    sleeper = subprocess.Popen(["sleep", "1000"])
    ask = {"key": "calls", "kind": "calls", "call": "fork", "error": "EAGAIN"}
    ask |= {"scope": {"pids": [sleeper.pid]}}  # type: ignore[dict-item]
    given = {"ask": ask, "owner": "harness-1", "lease_s": 1.0, "backend": "strace"}
    try:
        for _ in range(3):
            words = ["python3", "-I", "-S", str(library), "apply"]
            with subprocess.Popen(words, stdin=subprocess.PIPE) as asking:
                assert asking.stdin is not None
                asking.stdin.write(json.dumps(given).encode())
                asking.stdin.close()
                assert wait_for(lambda pid=asking.pid: children(pid), 60.0)  # type: ignore[misc]
                asking.kill()
            assert wait_for(lambda: leftovers(str(tmp_path)) == [], 30.0), leftovers(str(tmp_path))
            assert agent.changes() == ()
    finally:
        sleeper.kill()
        sleeper.wait()
