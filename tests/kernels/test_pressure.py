"""Neighbours take what a machine has, under the names of ordinary programs, and are gone as a whole."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from real.stores import wait_for
from sregym_nodes.remote import AgentError, NodeAgent

GROUPS = Path("/sys/fs/cgroup")
LOADS: dict[str, dict[str, Any]] = {
    "cpu": {"cores": 0.5, "as": "xz"},
    "memory": {"bytes": 64_000_000, "as": "sort"},
    "disk": {"queued": 4, "as": "fio"},
    "cache": {"as": "clamscan"},
    "network": {"mbit": 5, "device": "lo", "to": "127.0.0.1", "as": "iperf3"},
}
CASES = [(what, backend) for what in LOADS for backend in ("stress-ng", "processes")]


def load(what: str, **more: Any) -> dict[str, Any]:
    return {"key": f"load {what}", "kind": "load", "what": what, **LOADS[what], **more}


def named(name: str) -> list[str]:
    """Processes of a name, zombies not counted."""
    shown = subprocess.run(["ps", "-eo", "comm,stat"], capture_output=True, text=True, check=True)
    rows = (line.split() for line in shown.stdout.splitlines())
    return [row[0] for row in rows if row[0] == name and not row[1].startswith("Z")]


def made() -> list[Path]:
    return [*GROUPS.glob("batch-*"), *GROUPS.glob("*/batch-*")]


@pytest.mark.parametrize(("what", "backend"), CASES, ids=map(" ".join, CASES))
def test_a_neighbour(what: str, backend: str, agent: NodeAgent) -> None:
    asked = load(what)
    refused = agent.examine([asked])[0].get(backend)
    if refused is None:
        assert (what, backend) in (("cache", "stress-ng"), ("network", "stress-ng"))
        return
    if refused:
        pytest.skip(refused)
    applied = agent.apply(asked, backend)
    assert applied.backend == backend
    assert applied.effect["taken"] > 0
    assert named(asked["as"]) != []
    assert made() != []
    agent.undo()
    assert (named(asked["as"]), made()) == ([], [])


def test_who_ends_the_program_has_repaired_it(agent: NodeAgent) -> None:
    agent.apply(load("cpu"), "processes")
    subprocess.run(["pkill", "-x", "xz"], check=True)
    assert wait_for(lambda: agent.changes() == ())
    assert named("xz") == []


def test_a_card_that_there_is_not(agent: NodeAgent) -> None:
    with pytest.raises(AgentError) as caught:
        agent.apply(load("network", device="eth99"))
    assert str(caught.value) == (
        "node 'here': nothing was changed, no back end can do 'load network' here. processes: there "
        "is no network device 'eth99'; `ip link` names those there are"
    )


def test_a_pod_that_is_gone(agent: NodeAgent) -> None:
    with pytest.raises(AgentError) as caught:
        agent.apply(load("cpu", inside={"pods": ["0-1"]}), "processes")
    assert str(caught.value) == (
        "node 'here': nothing was changed, no back end can do 'load cpu' here. processes: there is "
        "no control group of pods 0-1; does the pod still run on this node?"
    )
