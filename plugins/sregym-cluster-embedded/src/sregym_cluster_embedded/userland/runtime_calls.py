"""Calls that the runtimes of programs make for memory, threads and time, and what they do where these fail.

A runtime makes them when it starts, and again as it works: to let its heap grow, for a further thread,
to read the clock. Which runtime a program has is told by `sregym_apps.system_calls`, as is what it calls
at work.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Line
from sregym_apps.system_calls import language_of

from sregym_cluster_embedded import syscalls
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.connect_limits import caller_of
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds import disks_changed
from sregym_cluster_embedded.userland.life import end, write_log
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

EVENT = "userland.runtime-call"
# Calls that a process which runs is about to make again.
AWAITED: TableKey[ContainerRef, tuple[str, ...]] = TableKey("userland.runtime-calls")

# How long a program works on average until it makes such a call again, in seconds.
_EVERY_S: Mapping[str, float] = MappingProxyType(
    {"mmap": 12.0, "mprotect": 30.0, "clone": 30.0, "clock_gettime": 1.0}
)
CALLS = tuple(_EVERY_S)

_NATIVE = "native"


class RuntimeExit(NamedTuple):
    """How a runtime gives up: what it writes, with `{words}` for the error, and its exit code."""

    text: str
    code: int


_LOADER = "{program}: error while loading shared libraries: "
_UNMAPPED = RuntimeExit(
    f"{_LOADER}libc.so.6: failed to map segment from shared object: {{words}}", 127
)
_UNPROTECTED = RuntimeExit(
    f"{_LOADER}libc.so.6: cannot apply additional memory protection after relocation: {{words}}",
    127,
)
_NO_THREAD = RuntimeExit(
    "terminate called after throwing an instance of 'std::system_error'\n  what():  {words}", 134
)
_GO_THREAD = RuntimeExit(
    "runtime: failed to create new OS thread (have 5 already; errno={number})\nfatal error: newosproc",
    2,
)
_JAVA_THREAD = (
    "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or "
    "process/resource limits reached"
)
_PYTHON_THREAD = RuntimeExit("RuntimeError: can't start new thread", 1)
# What a program with shared libraries meets before its own first act.
_LOADED: Mapping[str, RuntimeExit] = MappingProxyType({"mmap": _UNMAPPED, "mprotect": _UNPROTECTED})

_AT_START: Mapping[str, Mapping[str, RuntimeExit]] = MappingProxyType(
    {
        # Programs of Go have neither a loader nor guard pages of their own.
        "go": {
            "mmap": RuntimeExit("fatal error: failed to reserve page summary memory", 2),
            "clone": _GO_THREAD,
        },
        "jvm": {
            **_LOADED,
            "clone": RuntimeExit(f"Error occurred during initialization of VM\n{_JAVA_THREAD}", 1),
        },
        "python": {
            **_LOADED,
            "clock_gettime": RuntimeExit(
                "Fatal Python error: init_interp_main: can't initialize time\nPython runtime state: "
                "core initialized\nOSError: [Errno {number}] {words}",
                1,
            ),
        },
        "node": {**_LOADED, "clone": _NO_THREAD},
        "dotnet": {
            **_LOADED,
            "clone": RuntimeExit("Failed to create CoreCLR, HRESULT: 0x8007000E", 137),
        },
        _NATIVE: _LOADED,
    }
)
AT_WORK: Mapping[str, Mapping[str, RuntimeExit]] = MappingProxyType(
    {
        "go": {
            "mmap": RuntimeExit(
                "runtime: out of memory: cannot allocate 4194304-byte block ({held} in use)\n"
                "fatal error: out of memory",
                2,
            ),
            "clone": _GO_THREAD,
        },
        "jvm": {
            "mmap": RuntimeExit(
                "OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0x00000000f5980000, "
                "16777216, 0) failed; error='{words}' (errno={number})\n#\n# There is insufficient "
                "memory for the Java Runtime Environment to continue.\n# Native memory allocation "
                "(mmap) failed to map 16777216 bytes for committing reserved memory.",
                1,
            ),
            "mprotect": RuntimeExit(_JAVA_THREAD, 1),
            "clone": RuntimeExit(_JAVA_THREAD, 1),
        },
        "python": {
            "mmap": RuntimeExit("MemoryError", 1),
            "mprotect": _PYTHON_THREAD,
            "clone": _PYTHON_THREAD,
            "clock_gettime": RuntimeExit("OSError: [Errno {number}] {words}", 1),
        },
        "node": {
            "mmap": RuntimeExit(
                "FATAL ERROR: Committing semi space failed. Allocation failed - JavaScript heap out "
                "of memory",
                134,
            ),
        },
        "dotnet": {"mmap": RuntimeExit("Out of memory.", 134)},
        _NATIVE: {
            "mmap": RuntimeExit(
                "terminate called after throwing an instance of 'std::bad_alloc'\n"
                "  what():  std::bad_alloc",
                134,
            ),
            "mprotect": _NO_THREAD,
            "clone": _NO_THREAD,
        },
    }
)


def machine_changed(world: World, node: str) -> None:
    """Let what runs on a node meet what its machine is like now; on all nodes without a name."""
    disks_changed(world, node)
    if syscalls.rules(world):
        for process in world.service(RUNTIME).running(world):
            if node in ("", process.config.node):
                await_calls(world, process)


def await_calls(world: World, process: Process) -> None:
    """Plan the next calls of a process that may fail, and that it does not await already."""
    for call in CALLS:
        awaited = world.table(AWAITED).get(process.ref, ())
        if call in awaited or syscalls.risk(world, caller_of(process), call)[1] <= 0:
            continue
        world.table(AWAITED)[process.ref] = (*awaited, call)
        ref = process.ref
        when = world.seed.fraction(EVENT, ref.pod, ref.name, str(ref.attempt), call, str(world.now))
        world.after(_EVERY_S[call] * (0.5 + when), EVENT, ref, call)


def retry_call(world: World, ref: ContainerRef, call: str) -> None:
    """Handler: a process makes a call again; it ends where that fails and it cannot go on."""
    awaited = world.table(AWAITED).pop(ref, ())
    if left := tuple(other for other in awaited if other != call):
        world.table(AWAITED)[ref] = left
    process = process_of(world, ref)
    if process is None or not process.running:
        return
    if process.stopped or not _gives_up(world, process, call, AT_WORK):
        await_calls(world, process)


def cannot_start(world: World, process: Process) -> bool:
    """Let a process make the calls of its start; whether one failed, and it has ended."""
    if not syscalls.rules(world):
        return False
    if any(_gives_up(world, process, call, _AT_START) for call in CALLS):
        return True
    await_calls(world, process)
    return False


def _gives_up(
    world: World, process: Process, call: str, ends: Mapping[str, Mapping[str, RuntimeExit]]
) -> bool:
    """Let a process make a call; whether it failed, and the process has ended for it."""
    program = process.behaviour
    error = "" if program is None else syscalls.failure(world, caller_of(process), call)
    if program is None or not error:
        return False
    number, words = syscalls.number(error), syscalls.strerror(error)
    code = world.service(RUNTIME).kind_of(process).call_failed(world, process, call, number, words)
    if code is None:
        known = ends[language_of(program)].get(call)
        if known is None:
            return False
        held = world.service(RUNTIME).memory_bytes(world, process.ref)
        facts = {"words": words, "number": number, "held": held, "program": process.argv[0]}
        text = known.text.format(**facts)
        write_log(world, process.ref, program, (Line(text=text, stream="stderr", raw=True),))
        code = known.code
    end(world, process.ref, code)
    return True
