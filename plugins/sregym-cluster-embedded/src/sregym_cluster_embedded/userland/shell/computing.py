"""Commands that compute and do nothing else: over input without an end, or to load processors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.files.machine import cpus
from sregym_cluster_embedded.userland.shell.changing import size_of
from sregym_cluster_embedded.userland.shell.memory import exhaust
from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.userland.shell.session import Command, Session

STREAMS = ("/dev/zero", "/dev/urandom", "/dev/random")
_SUMS = ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "cksum", "sum")
# Commands that read their input to its end, and the options with which they do not.
_READERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_SUMS, "cat", "wc", "base64", "gzip", "bzip2", "xz", "strings"), ()),
    **dict.fromkeys(("tr", "nl", "cut", "fold", "rev", "uniq", "sort", "tac"), ()),
    "grep": ("-q", "-m", "--quiet", "--max-count"),
    "od": ("-N", "--read-bytes"),
    "hexdump": ("-n", "--length"),
    "xxd": ("-l", "-len"),
}
# Those among them that write nothing before it.
_LAST_WORDS = (*_SUMS, "wc", "sort", "tac", "tail")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31_556_926}
_SHORT_OPTIONS = {"c": "cpu", "i": "io", "m": "vm", "d": "hdd", "t": "timeout"}
_NO_VALUE = ("quiet", "verbose", "vm-keep", "dry-run", "metrics", "metrics-brief", "perf", "verify")
_VM_BYTES = 256 << 20
_DAY_S = 86_400.0


class Work(NamedTuple):
    """What a command computes.

    Attributes:
        threads: How many processors it keeps busy.
        seconds: How long; None without an end.
        said: What it writes, and its exit code.
    """

    threads: float
    seconds: float | None
    said: Output = Output()


def work_of(session: Session, name: str, words: list[str]) -> Work | None:
    """What a command line computes; None for one that ends as soon as it has done something."""
    if name in ("stress", "stress-ng"):
        return _stress(session, name, words)
    drains, session.drains = session.drains, False
    if name == "yes":
        return Work(1, None, Output(0, (" ".join(words[1:]) or "y").join(["", "\n"]) * 4096))
    if name == "dd":
        given = dict(word.partition("=")[::2] for word in words[1:] if "=" in word)
        source = given.get("if")
        stream = drains if source is None else session.path(source) in STREAMS
        endless = stream and "count" not in given and given.get("of", "/dev/null") == "/dev/null"
        return Work(1, None) if endless else None
    if name not in _READERS or _limited(words[1:], _READERS[name]):
        return None
    read = [word for word in words[1:] if session.path(word) in STREAMS] if _names(words) else []
    return Work(1, None) if read or drains else None


def reads_all(words: Iterable[str]) -> bool:
    """Whether a command of a pipeline goes on as long as its input is open."""
    name, *rest = [*words][:20] or [""]
    return (name in _READERS and not _limited(rest, _READERS[name])) or name in ("dd", "tail")


def writes_last(words: Iterable[str]) -> bool:
    """Whether a command writes nothing before its input has ended."""
    return next(iter(words), "") in _LAST_WORDS


def _names(words: list[str]) -> bool:
    return any(word.endswith(("zero", "random")) for word in words[1:])


def _limited(words: list[str], options: tuple[str, ...]) -> bool:
    return any(word.startswith(option) for word in words for option in options)


def _stress(session: Session, name: str, words: list[str]) -> Work | None:
    """The workers of `stress` and `stress-ng`; None where their command line says nothing of them."""
    given = _given(words[1:])
    counts = {kind: given[kind] for kind in ("cpu", "io", "vm", "hdd") if kind in given}
    if not counts or not all(count.isdecimal() for count in counts.values()):
        return None
    cores = cpus(session.files.container)
    # None stands for as many workers as there are processors.
    hogs: dict[str, int] = {
        kind: int(count) or (cores if name == "stress-ng" else 0) for kind, count in counts.items()
    }
    seconds = _duration(given.get("timeout", ""))
    if seconds is None and name == "stress-ng":
        seconds = _DAY_S
    threads = float(hogs.get("cpu", 0))
    threads *= (
        min(float(given["cpu-load"]), 100) / 100 if given.get("cpu-load", "").isdecimal() else 1
    )
    if hogs.get("vm"):
        _allocate(session, hogs["vm"], given.get("vm-bytes", ""))
        threads += hogs["vm"] if given.get("vm-hang") is None else 0
    quiet = {"quiet", "q"} & set(given)
    return Work(threads, seconds, Output(0, "" if quiet else _dispatched(session, name, hogs)))


def _allocate(session: Session, workers: int, size: str) -> None:
    """Let workers hold memory, which may be more than the container has."""
    wanted = workers * (size_of(size.upper().removesuffix("B")) or _VM_BYTES)
    limit = session.process.config.memory_limit_bytes
    if limit is not None and wanted > limit:
        exhaust(session)


def _given(words: list[str]) -> dict[str, str]:
    """Options by their long names: `-c 2`, `-c2`, `--cpu 2`, `--cpu=2`, `-cpus 2`."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if word.startswith("--"):
            key = option[2:]
        elif word in ("-q", "-v"):
            key, equals = word[1:], "="
        else:
            short = re.fullmatch(r"-([cimdt])(\w*)", word)
            if short is None:
                continue
            key, value, equals = _SHORT_OPTIONS[short.group(1)], short.group(2), short.group(2)
        if not equals and key not in _NO_VALUE and rest:
            value = rest.pop(0)
        found[key] = value
    return found


def _duration(text: str) -> float | None:
    found = re.fullmatch(r"(\d+)([smhdwy]?)", text)
    return None if found is None else float(found.group(1)) * _SECONDS[found.group(2)]


def _dispatched(session: Session, name: str, hogs: dict[str, int]) -> str:
    pid = 1 if session.line == () else session.pid
    if name == "stress":
        told = ", ".join(f"{hogs.get(kind, 0)} {kind}" for kind in ("cpu", "io", "vm", "hdd"))
        return f"stress: info: [{pid}] dispatching hogs: {told}\n"
    told = ", ".join(f"{count} {kind}" for kind, count in hogs.items())
    return f"stress-ng: info:  [{pid}] dispatching hogs: {told}\n"


def _usage(_session: Session, words: list[str], _stdin: str) -> Output:
    """`stress` and `stress-ng` that are not told what to load."""
    name = words[0].rpartition("/")[2]
    if "--version" in words or "-V" in words:
        shown = "stress 1.0.4" if name == "stress" else "stress-ng, version 0.17.08"
        return Output(0, f"{shown}\n")
    if name == "stress":
        return Output(1, "`stress' imposes certain types of compute stress on your system\n")
    return Output(1, "", "stress-ng: error: [1] No stress workers invoked\n")


COMPUTING_COMMANDS: dict[str, Command] = {"stress": _usage, "stress-ng": _usage}
