"""Whether a machine heals when whoever changes it is killed at a random moment.

    python benchmarks/kernel_kills.py                      # 40 rounds
    python benchmarks/kernel_kills.py --rounds 200 --seed 7

In each round a harness changes this machine (calls of a redis-server fail by strace, a neighbour takes
memory or processor), renews what it changed as long as it lives, and at a random moment is killed: it
alone, with the agent that it asked, or that agent alone; or the process that holds the change, and then the
harness. After the lease nothing may be left, without anybody asking; only where the holder was
killed the next look at the machine may have to do it. Needs root, strace and redis-server.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kernels"))

from kernels import calls, left, told
from real.needing import SYSTEM
from real.stores import Redis, wait_for
from sregym_nodes.remote import AgentError, NodeAgent
from sregym_nodes.transports import Local

LEASE_S = 2.0
# The lease, and what a busy machine needs to end processes.
HEALED_S = 60.0
LONGEST_S = 2.5
# In the environment of all that a harness starts.
MARK = "KERNEL_KILLS"
VICTIMS = ("the harness", "the harness and its agent", "its agent", "the holder, then the harness")
LOADS: tuple[dict[str, Any], ...] = (
    {"key": "load", "kind": "load", "what": "memory", "bytes": 64_000_000, "as": "sort"},
    {"key": "load", "kind": "load", "what": "cpu", "cores": 0.2, "as": "xz"},
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--harness", nargs=2, metavar=("FOLDER", "ASK"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.harness:
        return harness(*options.harness)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, Redis(Path(folder) / "store") as store:
        place = f"{folder}/nodectl"
        agent = NodeAgent("here", Local(SYSTEM), "harness-2", folder=place)
        agent.facts()
        before = left(store)
        ends: Counter[str] = Counter()
        wrong = []
        for number in range(options.rounds):
            victim = chance.choice(VICTIMS)
            ask = chance.choice((calls(store), *LOADS))
            after_s = chance.uniform(0.0, LONGEST_S)
            stood = one(place, ask, victim, after_s)
            why = healed(agent, place, store, before, asked="holder" in victim)
            ends[f"{victim}, {stood}"] += 1
            if why:
                wrong.append(
                    f"round {number}: {ask['kind']}, {victim} after {after_s:.2f} s: {why}"
                )
        after = left(store)
    for name, count in sorted(ends.items()):
        print(f"{count:4} x killed: {name}")
    print(f"after {options.rounds} rounds: {told(before, after)}")
    print("\n".join(wrong) or f"healed {options.rounds} of {options.rounds}")
    return 1 if wrong or before != after else 0


def harness(folder: str, ask: str) -> int:
    """Who is killed: changes the machine and keeps it so."""
    agent = NodeAgent("here", Local(SYSTEM), "harness-1", lease_s=LEASE_S, folder=folder)
    with suppress(AgentError):  # its agent was killed
        agent.apply(json.loads(ask))
    while True:
        with suppress(AgentError):
            agent.renew()
        # Not a sleep that is needed: it is what a harness does between two renewals.
        signal.sigtimedwait((), LEASE_S / 4)


def one(folder: str, ask: dict[str, Any], victim: str, after_s: float) -> str:
    """Kill somebody at a moment; how far the change had come then."""
    words = [sys.executable, __file__, "--harness", folder, json.dumps(ask)]
    marked = {**os.environ, MARK: folder}
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, env=marked) as process:
        # The way from a new interpreter to its first request is not what is looked at.
        wait_for(lambda: children(process.pid) or process.poll() is not None, HEALED_S)
        signal.sigtimedwait((), after_s)
        stood = phase(folder)
        asked = children(process.pid)
        if victim == "its agent":
            kill(asked)
            signal.sigtimedwait((), LEASE_S / 2)
        elif "holder" in victim:
            kill(holders(folder))
            signal.sigtimedwait((), LEASE_S / 2)
        process.kill()
        if victim == "the harness and its agent":
            kill(asked)
    return stood


def healed(agent: NodeAgent, folder: str, store: Redis, before: dict[str, int], asked: bool) -> str:
    """Why the machine is not as it was; empty when it is."""
    if asked:
        agent.changes()
    if not wait_for(lambda: left(store) == before and not started(folder), HEALED_S):
        return f"{told(before, left(store))}; still there: {started(folder)}"
    if changes := agent.changes():
        return f"in the journal: {[(one['key'], one['stands']) for one in changes]}"
    if not wait_for(lambda: store.ask("bgsave") == "Background saving started", HEALED_S):
        return f"the store says {store.ask('bgsave')!r}"
    return ""


def entries(folder: str) -> list[dict[str, Any]]:
    """The journal, as it stands in files."""
    found = []
    for path in Path(folder, "held").glob("*.json"):
        with suppress(OSError):
            found.append(json.loads(path.read_text()))
    return found


def phase(folder: str) -> str:
    return next((str(entry["phase"]) for entry in entries(folder)), "nothing written down")


def holders(folder: str) -> list[int]:
    """Processes that hold changes and are there."""
    pids = [entry["holder"][0] for entry in entries(folder) if entry["holder"]]
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def started(folder: str) -> list[str]:
    """Processes that a harness of this folder started, or who did in its name; zombies are gone."""
    found, mark = [], f"{MARK}={folder}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes():
                line = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{process.name} {line.decode(errors='replace')[:200]}")
    return found


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    raise SystemExit(main())
