"""How fast faults below the container come and go on this machine's kernel, what they cost, and what they leave.

    python benchmarks/kernels.py                 # system calls of a redis-server, 200 cycles
    python benchmarks/kernels.py --cycles 20
    python benchmarks/kernels.py --kernel 6.1    # kernel programs, on Debian's kernel in QEMU

Needs root, strace and redis-server; or QEMU and `python tools/kernel_images.py`. Wall times of a busy
machine are upper bounds, and an emulated processor is some ten times slower than one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kernels"))

from real import inside, machine
from real.stores import Redis
from sregym_nodes.bundle import FOLDER, bundle
from sregym_nodes.remote import NodeAgent
from sregym_nodes.transports import Local

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_S = 2.0
PINGS = 20_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--kernel", help="of a machine in QEMU: 6.1 or 6.12; none for this machine")
    options = parser.parse_args()
    if options.kernel:
        return programs(options.kernel, options.cycles)
    with tempfile.TemporaryDirectory() as folder, Redis(Path(folder) / "store") as store:
        agent = NodeAgent("here", Local(), "harness-1", folder=f"{folder}/nodectl")
        agent.facts()
        with Redis(Path(folder) / "other") as other:
            print(f"redis: {PINGS} pings, milliseconds: {rate(store):.0f} without a fault")
            agent.apply(calls(store))
            print(f"  traced, another call failing:  {rate(store):.0f} (strace slows all calls)")
            print(f"  another store meanwhile:       {rate(other):.0f}")
            agent.undo()
        return cycles(agent, store, options.cycles)


def programs(version: str, count: int) -> int:
    """Kernel programs in a machine of its own."""
    with tempfile.TemporaryDirectory() as folder:
        files, kernel = machine.root(Path(folder) / "root"), machine.image(version, Path(folder))
        with machine.Machine(kernel, files) as guest:
            agent = guest.agent()
            print(f"kernel {agent.facts()['kernel']}, on an emulated processor")
            found = inside_of(guest, "timed", count=10, calls=200)
            good = {told_times(name, one) for name, one in found.items()} == {True}
            left_over = []
            for start in range(0, count, 50):
                left_over.append(inside_of(guest, "cycles", count=min(50, count - start)))
    clean = all(one["left"] and not one["descriptors"] + len(one["pins"]) for one in left_over)
    print(f"after {count} cycles: {'nothing left' if clean else left_over}")
    print("as promised" if good and clean else "not as promised")
    return 0 if good and clean else 1


def inside_of(guest: machine.Machine, do: str, **given: Any) -> Any:
    folder = f"{FOLDER}/lib-{bundle().digest[:8]}"
    given |= {"do": do, "backends": ["fmod_ret", "lsm_cgroup"]}
    source = Path(inside.__file__).read_text()
    return json.loads(guest.said("python3", "-Ic", source, folder, stdin=json.dumps(given)))


def told_times(name: str, found: dict[str, Any]) -> bool:
    """Print what was measured of one back end, and whether it is as promised."""
    came, went = found["came"], found["went"]
    print(
        f"{name}: injection to first effect: median {statistics.median(came):.2f} s, worst {max(came):.2f} s"
    )
    print(f"  undo to last effect: median {statistics.median(went):.3f} s, worst {max(went):.3f} s")
    plain, beside = found["plain"], found["beside"]
    print(
        f"  a read elsewhere: {plain:.0f} ns without, {beside:.0f} ns with ({beside / plain:.2f} x)"
    )
    return statistics.median(came) < MOST_S and statistics.median(went) < MOST_S


def calls(store: Redis) -> dict[str, Any]:
    ask = {"key": "calls", "kind": "calls", "call": "fork", "error": "EAGAIN"}
    return {**ask, "scope": {"pids": [store.pid]}}


def rate(store: Redis) -> float:
    """Milliseconds of some thousand requests on one connection."""
    words = ["redis-benchmark", "-s", str(store.folder / "s"), "-c", "1", "-n", str(PINGS)]
    before = time.perf_counter()
    subprocess.run([*words, "-t", "ping_mbulk", "-q"], check=True, capture_output=True)
    return (time.perf_counter() - before) * 1000


class Fails:
    """Asks a store all the time whether it fails, and keeps when that changed."""

    def __init__(self, store: Redis) -> None:
        self._store = store
        self.failed = threading.Event()
        self.worked = threading.Event()
        self.first = self.last = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> Fails:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._ended.is_set():
            began = time.perf_counter()
            bad = self._store.ask("bgsave") == "ERR"
            if bad:
                self.first = self.first or began
                self.last = time.perf_counter()
                self.failed.set()
                self.worked.clear()
            else:
                self.worked.set()


def cycles(agent: NodeAgent, store: Redis, count: int) -> int:
    """Inject and undo, and count before and after what could be left."""
    agent.apply(calls(store))
    agent.undo()
    store.ask("set", "kept", "0")
    before = left(store)
    came, went = [], []
    for number in range(count):
        with Fails(store) as fails:
            began = time.perf_counter()
            agent.apply(calls(store))
            fails.failed.wait(60)
            came.append(fails.first - began)
            undone = time.perf_counter()
            agent.undo()
            fails.worked.wait(60)
            went.append(max(0.0, fails.last - undone))
        store.ask("incr", "kept")
        if number % 50 == 49:
            print(f"  {number + 1} cycles")
    after, kept = left(store), store.ask("get", "kept")
    print(
        f"injection to first effect: median {statistics.median(came):.2f} s, worst {max(came):.2f} s"
    )
    print(
        f"undo to last effect:       median {statistics.median(went):.2f} s, worst {max(went):.2f} s"
    )
    print(f"after {count} cycles: {told(before, after)}; writes kept: {kept} of {count}")
    good = before == after and kept == str(count) and agent.changes() == ()
    quick = statistics.median(came) < MOST_S and statistics.median(went) < MOST_S
    print("as promised" if good and quick else "not as promised")
    return 0 if good and quick else 1


def left(store: Redis) -> dict[str, int]:
    """What a fault could leave behind."""
    looks: dict[str, Callable[[], int]] = {
        "processes": lambda: len(running(f"{store.folder.parent}/nodectl", f"-p\0{store.pid}\0")),
        "mounts": lambda: len(Path("/proc/self/mounts").read_text().splitlines()),
        "loop devices": lambda: len(list(Path("/sys/block").glob("loop*/loop"))),
        # One that goes away meanwhile is passed over.
        "control groups": lambda: sum(
            name.startswith("batch-") for _, names, _ in os.walk("/sys/fs/cgroup") for name in names
        ),
        "pins": lambda: len(list(Path("/sys/fs/bpf").glob("*"))),
    }
    return {name: look() for name, look in looks.items()}


def running(*words: str) -> list[str]:
    """Command lines with one of these words, of processes that run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
            if any(word in line for word in words):
                found.append(line)
    return found


def told(before: dict[str, int], after: dict[str, int]) -> str:
    changed = [
        f"{name} {before[name]} -> {after[name]}" for name in before if before[name] != after[name]
    ]
    return f"left: {', '.join(changed)}" if changed else f"nothing left ({', '.join(before)})"


if __name__ == "__main__":
    raise SystemExit(main())
