"""Calls for memory, threads and time that fail: each runtime ends in its own words, or goes on."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_apps.system_calls import OF_RUNTIMES
from sregym_cluster_embedded import syscalls
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.syscalls import Rule
from sregym_cluster_embedded.userland import runtime_calls
from sregym_cluster_embedded.userland.process import Process, process_of

FORMATS = {"go": "go-log", "jvm": "log4j", "python": "python", "native": "plain"}
LOADER = "{name}: error while loading shared libraries: libc.so.6: "
UNMAPPED = f"{LOADER}failed to map segment from shared object: Cannot allocate memory"
UNPROTECTED = (
    f"{LOADER}cannot apply additional memory protection after relocation: Permission denied"
)
JVM = (
    "# Native memory allocation (mmap) failed to map 16777216 bytes for committing reserved memory."
)
# call, error -> language: what a program says last while it works, and when it starts again; None
# where it goes on.
EXPECTED = {
    ("mmap", "ENOMEM"): {
        "go": ("fatal error: out of memory", "fatal error: failed to reserve page summary memory"),
        "jvm": (JVM, UNMAPPED),
        "python": ("MemoryError", UNMAPPED),
        "native": ("  what():  std::bad_alloc", UNMAPPED),
    },
    ("mprotect", "EACCES"): {
        "go": None,
        "python": ("RuntimeError: can't start new thread", UNPROTECTED),
        "native": ("  what():  Permission denied", UNPROTECTED),
    },
    ("clone", "EAGAIN"): {
        "go": ("fatal error: newosproc", "fatal error: newosproc"),
        "native": ("  what():  Resource temporarily unavailable", ""),
    },
    ("clock_gettime", "EFAULT"): {
        "go": None,
        "python": ("OSError: [Errno 14] Bad address", "OSError: [Errno 14] Bad address"),
        "native": None,
    },
}
CASES = [(call, error, language) for (call, error), of in EXPECTED.items() for language in of]


def test_what_faults_are_told_of_runtimes_is_what_they_do() -> None:
    known = {language: tuple(ends) for language, ends in runtime_calls.AT_WORK.items()}
    assert known == dict(OF_RUNTIMES)


def said(process: Process) -> str:
    """The last line that a process wrote."""
    return "\n".join(line.text for line in process.lines).split("\n")[-1]


def end_of(market: Any, ref: Any, seconds: int) -> Process | None:
    """A process in the second of its end; None where it does not end so soon."""
    for _ in range(seconds):
        market.run(1)
        process = process_of(market.world, ref)
        assert process is not None
        if not process.running:
            return process
    return None


@pytest.mark.parametrize(("call", "error", "language"), CASES)
def test_what_runtimes_do(call: str, error: str, language: str, make_market: Any) -> None:
    log = {"stock.log": {"format": FORMATS[language]}}
    market = make_market(log, programs=("stock",))
    first = market.refs("stock")[-1]
    syscalls.fail(market.world, "test", Rule(call, error))
    ended = end_of(market, first, 50)
    expected = EXPECTED[(call, error)][language]
    if expected is None or ended is None:
        assert (expected, ended) == (None, None)
        return
    at_work, at_start = expected
    assert said(ended) == at_work
    market.run(5)
    again = process_of(market.world, market.refs("stock")[-1])
    assert again is not None
    assert again.ref != first
    # Who makes no such call when it starts works until it makes the next one.
    assert (again.ended_at is None, said(again)) == (
        at_start == "",
        at_start.format(name="stock"),
    )
    syscalls.heal(market.world, "test")
    market.run(310)
    assert market.world.table("userland.processes")[market.refs("stock")[-1]].running


def test_a_share_of_the_calls_ends_a_process_later(make_market: Any) -> None:
    market = make_market(programs=("stock",))
    first = market.refs("stock")[-1]
    syscalls.fail(market.world, "test", Rule("mmap", "ENOMEM", share=0.02))
    assert end_of(market, first, 30) is None
    assert end_of(market, first, 1200) is not None


def test_a_server_that_cannot_listen_says_why(make_market: Any) -> None:
    market = make_market(programs=())
    syscalls.fail(market.world, "test", Rule("bind", "ENETDOWN"))
    market.deploy("cache")
    market.run(10)
    first = market.world.table("userland.processes")[market.refs("cache")[0]]
    assert said(first) == "failed to listen on TCP port 8080: Network is down"


@pytest.mark.parametrize(
    ("sizes", "refused"), [((131_068,), False), ((131_069,), True), ((130_000,) * 17, True)]
)
def test_an_environment_that_is_too_long(
    make_market: Any, sizes: tuple[int, ...], refused: bool
) -> None:
    market = make_market(programs=())
    env = [{"name": f"V{number:02d}"[:2], "value": "x" * size} for number, size in enumerate(sizes)]
    if len(sizes) > 1:
        env = [{**entry, "name": f"V{number:02d}"} for number, entry in enumerate(env)]
    container = {
        "name": "stock",
        "image": "ghcr.io/acme/market:1.0",
        "command": ["stock"],
        "env": env,
    }
    spec = {"restartPolicy": "Never", "containers": [container]}
    metadata = {"name": "stock", "namespace": "default"}
    internal_client.create(market.world, "pods", {"metadata": metadata, "spec": spec})
    market.run(10)
    process = market.world.table("userland.processes")[market.refs("stock")[0]]
    assert process.running is not refused
    assert said(process) == ("exec stock: argument list too long" if refused else "")
