"""Runs in a guest beside the agent: what calls of processes in and out of a control group come to.

    python3 inside.py FOLDER-OF-THE-AGENT < {"do": ..., ...}

Each `do` is a function here; its answer is printed as JSON.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    # As the agent itself is run, which keeps things beside itself.
    sys.argv = sys.argv[1:]
    sys.path.insert(0, sys.argv[0])
    from nodectl import calls, probes, programs, registry


TOP = Path("/sys/fs/cgroup/kubepods")
POD = TOP / "pod01234567-89ab-cdef-0123-456789abcdef"


def failing(group, call, error, times=1, path=None, nested=False):
    """How many of so many calls fail with an error, of a process in a group; or of a child of one."""
    # Neither pipes nor exit codes: what is told must not be a call that fails.
    answer = mmap.mmap(-1, 8)
    child = os.fork()
    if child == 0:
        if nested:
            (group / "cgroup.procs").write_text("0")
            if os.fork():
                os.wait()
                os._exit(0)
        make = calls.maker(call, path)
        if not nested:
            (group / "cgroup.procs").write_text("0")
        count = sum(make() == calls.number_of(error) for _ in range(times))
        answer[:] = count.to_bytes(8, "little")
        os._exit(0)
    os.waitpid(child, 0)
    return int.from_bytes(answer[:], "little")


def made(*groups):
    for group in groups:
        group.mkdir(parents=True, exist_ok=True)


def held():
    """What the kernel holds of programs."""
    return {"links": len(list(programs.links())), "programs": len(list(programs.loaded()))}


def scoped(given):
    """For each ask and back end: calls that fail in the group, in one below it, elsewhere, and afterwards."""
    inner, beside = POD / "c1", TOP / "other"
    made(inner, beside)
    found, before = {}, held()
    for ask in given["asks"]:
        for name in given["backends"]:
            if (ask["call"], name) == ("brk", "lsm_cgroup"):
                continue  # no module is asked that
            backend, ask = registry.named(name), {"key": "k", "kind": "calls", **ask}
            ask["scope"] = {"pods": ["01234567-89ab-cdef-0123-456789abcdef"]}
            call, error = ask["call"], ask["error"]
            with Resident(inner):
                backend.inject(ask, lambda state: None)
                seen = backend.probe(ask, {})["seen"]
                acts = [failing(group, call, error) for group in (inner, beside, TOP.parent)]
                backend.undo({})
                acts.append(failing(inner, call, error))
            found[f"{call} {error} {name}"] = [seen, *acts]
    return {"found": found, "left": held() == before}


def covered(given):
    """A share of the calls; children; a container that comes later; files by path; processes by number."""
    first, later, beside = POD / "c1", POD / "c2", TOP / "other"
    made(first, beside)
    ask = {"key": "k", "kind": "calls", "call": "read", "error": "EIO"}
    ask["scope"] = {"pods": ["01234567-89ab-cdef-0123-456789abcdef"]}
    found = {}
    for name in given["backends"]:
        with Resident(first):
            backend = registry.named(name)
            backend.inject({**ask, "share": 0.25}, lambda state: None)
            backend.probe({**ask, "share": 0.25}, {})
            share = failing(first, "read", "EIO", 4000)
            backend.undo({})
            backend = registry.named(name)
            backend.inject(ask, lambda state: None)
            backend.attend(ask, 60.0)
            made(later)
            comes = failing(later, "read", "EIO", 5)
            child = failing(first, "read", "EIO", 5, nested=True)
            backend.undo({})
            later.rmdir()
            found[name] = {
                "share": share,
                "later": comes,
                "child": child,
                **_files(name, ask, first),
            }
        found[name]["anew"] = _anew(name, ask, first)
    found["processes"] = _processes(ask, first)
    return found


def _files(name, ask, group):
    folder = Path("/mnt/data")
    folder.mkdir(exist_ok=True)
    for file in ("a.log", "a.txt"):
        (folder / file).write_text("x")
    found = {}
    for path in ("/mnt/data/a.log", "/mnt/data/*.log", "/mnt/data/"):
        backend, limited = registry.named(name), {**ask, "path": path}
        backend.inject(limited, lambda state: None)
        backend.probe(limited, {})
        found[path] = [
            failing(group, "read", "EIO", 5, str(folder / file)) for file in ("a.log", "a.txt")
        ] + [failing(group, "read", "EIO", 5, "/init")]
        backend.undo({})
    return found


def _anew(name, ask, group):
    """A file that comes when the container of the injection is gone, and another one there."""
    backend, limited = registry.named(name), {**ask, "path": "/mnt/data/*.log"}
    with Resident(group):
        backend.inject(limited, lambda state: None)
    file = Path("/mnt/data/new.log")
    file.write_text("x")
    with Resident(group):
        end = time.monotonic() + 60.0
        while failing(group, "read", "EIO", 1, str(file)) != 1 and time.monotonic() < end:
            backend.attend(limited, 60.0)
        found = failing(group, "read", "EIO", 5, str(file))
        backend.undo({})
    file.unlink()
    return found


def _processes(ask, group):
    """One, and whom it starts afterwards; not its neighbour in the same group."""
    answer = mmap.mmap(-1, 8)
    parent = os.fork()
    if parent == 0:
        make = calls.maker("read", None)
        os.kill(os.getpid(), 19)
        if os.fork() == 0:
            answer[:] = sum(make() == 5 for _ in range(5)).to_bytes(8, "little")
            os._exit(0)
        os.wait()
        os._exit(0)
    os.waitpid(parent, os.WUNTRACED)
    backend, named = registry.named("fmod_ret"), {**ask, "scope": {"pids": [parent]}}
    backend.inject(named, lambda state: None)
    seen = backend.probe(named, {})["seen"]
    os.kill(parent, 18)
    os.waitpid(parent, 0)
    neighbour = failing(group, "read", "EIO", 5)
    backend.undo({})
    return [seen, int.from_bytes(answer[:], "little"), neighbour]


def cycles(given):
    """So many times, and what is left."""
    made(POD / "c1")
    ask = {"key": "k", "kind": "calls", "call": "openat", "error": "EIO"}
    ask["scope"] = {"pods": ["01234567-89ab-cdef-0123-456789abcdef"]}
    with Resident(POD / "c1"):
        before, descriptors = held(), len(names("/proc/self/fd"))
        for number in range(given["count"]):
            backend = registry.named(given["backends"][number % len(given["backends"])])
            backend.inject(ask, lambda state: None)
            if failing(POD / "c1", "openat", "EIO") != 1:
                return {"cycle": number, "failed": 0}
            backend.undo({})
            if failing(POD / "c1", "openat", "EIO") != 0:
                return {"cycle": number, "failed": 1}
    left = len(names("/proc/self/fd")) - descriptors
    pins = names("/sys/fs/bpf")
    groups = [name for name in names("/sys/fs/cgroup") if Path("/sys/fs/cgroup", name).is_dir()]
    return {"left": held() == before, "descriptors": left, "pins": pins, "groups": groups}


def probed(given):
    """A program at the entry of a call, which answers nothing: links before, meanwhile and afterwards."""
    end = struct.pack("=BBhi", 0xB7, 0, 0, 0) + struct.pack("=BBhi", 0x95, 0, 0, 0)
    before, program = held(), programs._loaded(end, "GPL", 2, 0, 0)
    (event,) = probes.events_at(["__x64_sys_fsync", "__x64_sys_nothing"])
    link = programs.command(28, struct.pack("=IIII", program, event, 41, 0))
    meanwhile = held()
    for fd in (link, event, program):
        os.close(fd)
    try:
        probes.events_at(["__x64_sys_nothing"])
    except Exception as error:
        return [before, meanwhile, held(), str(error)]


def timed(given):
    """Seconds from inject to the first call that fails and from undo to the last; nanoseconds of others' calls."""
    made(POD / "c1", TOP / "other")
    ask = {"key": "k", "kind": "calls", "call": "read", "error": "EIO"}
    ask["scope"] = {"pods": ["01234567-89ab-cdef-0123-456789abcdef"]}
    found = {}
    for name in given["backends"]:
        came, went = [], []
        with Resident(POD / "c1"), Caller(POD / "c1", "read", "EIO") as caller:
            for _ in range(given["count"]):
                caller.reset()
                backend, began = registry.named(name), time.monotonic()
                backend.inject(ask, lambda state: None)
                while not caller.times()[0]:
                    os.sched_yield()
                undone = time.monotonic()
                came.append(caller.times()[0] - began)
                backend.undo({})
                # A call that was under way has ended when two more have.
                caller.pass_by()
                went.append(max(0.0, caller.times()[1] - undone))
        found[name] = {"came": came, "went": went, **_costs(name, ask, given["calls"])}
    return found


def _costs(name, ask, count):
    """Of a call outside, in turns without and with a program for others."""
    make, plain, beside = calls.maker("read", None), [], []
    with Resident(POD / "c1"):
        for _ in range(3):
            plain += [_cost(make) for _ in range(count)]
            backend = registry.named(name)
            backend.inject(ask, lambda state: None)
            beside += [_cost(make) for _ in range(count)]
            backend.undo({})
    return {"plain": min(plain), "beside": min(beside)}


def _cost(make):
    """Nanoseconds of one of some calls: so few that now and then nothing comes between."""
    before = time.perf_counter_ns()
    for _ in range(100):
        make()
    return (time.perf_counter_ns() - before) / 100


class Caller:
    """A process in a group that calls all the time, and keeps when the first and the last call failed."""

    def __init__(self, group, call, error):
        self._shared = mmap.mmap(-1, 24)
        self._group, self._call, self._error = group, call, calls.number_of(error)

    def __enter__(self):
        self._pid = os.fork()
        if self._pid == 0:
            make = calls.maker(self._call, None)
            (self._group / "cgroup.procs").write_text("0")
            number = 0
            while True:
                began = time.monotonic()
                failed = make() == self._error
                number += 1
                first, last, _ = struct.unpack("=ddQ", self._shared[:])
                if failed:
                    first, last = first or began, time.monotonic()
                self._shared[:] = struct.pack("=ddQ", first, last, number)
                os.sched_yield()
        return self

    def __exit__(self, *error):
        os.kill(self._pid, 9)
        os.waitpid(self._pid, 0)

    def times(self):
        return struct.unpack("=ddQ", self._shared[:])[:2]

    def pass_by(self):
        start = struct.unpack("=ddQ", self._shared[:])[2]
        while struct.unpack("=ddQ", self._shared[:])[2] < start + 2:
            os.sched_yield()

    def reset(self):
        """Forget; it must not be calling with an old answer meanwhile."""
        self.pass_by()
        os.kill(self._pid, 19)
        os.waitpid(self._pid, os.WUNTRACED)
        number = struct.unpack("=ddQ", self._shared[:])[2]
        self._shared[:] = struct.pack("=ddQ", 0.0, 0.0, number)
        os.kill(self._pid, 18)


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def counted(given):
    return held()


class Resident:
    """A process that stays in a group, as a container's does."""

    def __init__(self, group):
        self._group = group

    def __enter__(self):
        reading, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            (self._group / "cgroup.procs").write_text("0")
            os.close(writing)
            os.close(reading)
            while True:
                os.kill(os.getpid(), 19)  # SIGSTOP: it only has to be there
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        os.waitpid(self._pid, os.WUNTRACED)
        return self._pid

    def __exit__(self, *error):
        os.kill(self._pid, 9)
        os.waitpid(self._pid, 0)


if __name__ == "__main__":
    asked = json.loads(sys.stdin.read())
    sys.stdout.write(json.dumps(globals()[asked["do"]](asked)))
