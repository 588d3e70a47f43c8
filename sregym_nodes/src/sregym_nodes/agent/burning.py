"""What takes processors, memory, disk, page cache or network, as a process of its own."""

from __future__ import annotations

import ctypes
import mmap
import os
import socket
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_NAME = 15  # PR_SET_NAME
_MIB = 1 << 20
_SCRATCH = 64 * _MIB
_SKIPPED = frozenset({"/proc", "/sys", "/dev", "/run"})
_DATAGRAM = 1400
_SLICE_S = 0.01


def burn(ask: Mapping[str, Any]) -> None:
    """Take it until ended; `processes` of these share the work.

    Args:
        ask: `what` and its amount; `as` for the name under which `ps` shows it.
    """
    ctypes.CDLL(None).prctl(_NAME, str(ask.get("as") or "batch").encode()[:15], 0, 0, 0)
    _BURNERS[str(ask["what"])](ask)


def _cpu(_ask: Mapping[str, Any]) -> None:
    while True:
        sum(range(10_000))


def _memory(ask: Mapping[str, Any]) -> None:
    whole = mmap.mmap(-1, int(ask["bytes"]))
    for start in range(0, len(whole), mmap.PAGESIZE):
        whole[start] = 1
    threading.Event().wait()


def _disk(ask: Mapping[str, Any]) -> None:
    """So many writes past the page cache that wait at once."""
    with tempfile.TemporaryFile(dir=str(ask.get("folder") or "/var/tmp")) as file:  # noqa: S108 - no name
        os.posix_fallocate(file.fileno(), 0, _SCRATCH)
        path = f"/proc/self/fd/{file.fileno()}"
        for number in range(min(256, int(ask["queued"]))):
            threading.Thread(target=_writes, args=(path, number), daemon=True).start()
        threading.Event().wait()


def _writes(path: str, number: int) -> None:
    with suppress(OSError):
        fd = os.open(path, os.O_WRONLY | os.O_DIRECT)
    page = mmap.mmap(-1, _MIB)
    while True:
        os.pwritev(fd, [page], number * _MIB % _SCRATCH)


def _cache(_ask: Mapping[str, Any]) -> None:
    """Read all files of the machine, again and again, with several readers."""
    readers = [threading.Thread(target=_reads, daemon=True) for _ in range(4)]
    for reader in readers:
        reader.start()
    threading.Event().wait()


def _reads() -> None:
    while True:
        for path in _files("/"):
            with suppress(OSError), path.open("rb", buffering=0) as file:
                while file.read(_MIB):
                    pass


def _files(top: str) -> Iterator[Path]:
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if os.path.join(folder, name) not in _SKIPPED]  # noqa: PTH118 - hot
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _network(ask: Mapping[str, Any]) -> None:
    """Datagrams through a card, heeding no loss: as many in each slice of time as the rate allows."""
    data = bytes(_DATAGRAM)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, str(ask["device"]).encode())
        sender.connect((str(ask["to"]), 9))
        begun, sent, rate = time.monotonic(), 0, float(ask["mbit"]) * 1e6 / 8
        while True:
            due = (time.monotonic() - begun) * rate
            if sent > due:
                threading.Event().wait(_SLICE_S)
                continue
            with suppress(OSError):
                sender.send(data)
            sent += _DATAGRAM


_BURNERS: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "cpu": _cpu,
    "memory": _memory,
    "disk": _disk,
    "cache": _cache,
    "network": _network,
}


def words() -> list[str]:
    """The command that does it, but for its input."""
    return [sys.executable, "-I", "-S", sys.argv[0], "work"]
