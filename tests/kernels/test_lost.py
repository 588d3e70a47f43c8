"""Whoever asks for a change is lost on the way: the machine goes on, and heals."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from real.needing import leftovers, needs
from real.stores import wait_for
from sregym_nodes.agent import facts
from sregym_nodes.remote import NodeAgent
from sregym_nodes.transports import Local


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


def test_a_tracer_that_never_begins_leaves_nothing(tmp_path: Path) -> None:
    """At its start strace has a child that waits; whoever ends the one ends both."""
    needs()
    program, pids = tmp_path / "bin" / "strace", tmp_path / "pids"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! >> {pids}\n")
    program.chmod(0o755)
    path = f"PATH={program.parent}:{os.environ['PATH']}"
    agent = NodeAgent("here", Local(("env", path)), "harness-1", folder=str(tmp_path / "nodectl"))
    ask = {"key": "calls", "kind": "calls", "call": "fork", "error": "EAGAIN"}
    (answers,) = agent.examine([ask])
    assert answers["strace"] == (
        "a traced call of fork gave no error; the kernel or a rule of this machine refuses tracing"
    )
    waiting = pids.read_text().split()
    assert waiting
    # Whoever takes in orphans may let zombies lie for a while.
    assert wait_for(lambda: not any(facts.started(int(pid)) for pid in waiting))
