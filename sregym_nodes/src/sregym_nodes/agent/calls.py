"""System calls by the names that faults give them: their variants, and how one is made harmlessly."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# What programs call instead of the one that is named, with the same meaning.
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "open": ("open", "openat", "openat2", "creat"),
    "openat": ("open", "openat", "openat2", "creat"),
    "read": ("read", "readv"),
    "pread64": ("pread64", "preadv", "preadv2"),
    "write": ("write", "writev"),
    "pwrite64": ("pwrite64", "pwritev", "pwritev2"),
    "fsync": ("fsync", "fdatasync"),
    "fork": ("fork", "vfork", "clone", "clone3"),
    "clone": ("fork", "vfork", "clone", "clone3"),
    "dup": ("dup", "dup2", "dup3"),
    "mlock": ("mlock", "mlock2", "mlockall"),
    "accept": ("accept", "accept4"),
    "nanosleep": ("nanosleep", "clock_nanosleep"),
    "clock_nanosleep": ("nanosleep", "clock_nanosleep"),
}
# Calls that name a file, by path or by descriptor.
OF_FILES = frozenset(
    {*("open", "openat", "read", "pread64", "write", "pwrite64", "fsync"), "ioctl"}
)
# `brk` is the one whose wrapper hides what the kernel said.
_BRK = {"x86_64": 12, "aarch64": 214}
_MOVE, _NO_WAIT, _FILES = 8192, 0x40, 7  # MS_MOVE, MSG_DONTWAIT, RLIMIT_NOFILE


def variants(call: str) -> tuple[str, ...]:
    """All calls that are meant by a name."""
    return VARIANTS.get(call, (call,))


def number_of(error: str) -> int:
    """The number of an error; 0 when the kernel knows no such name."""
    return int(getattr(errno, error, 0)) if error.startswith("E") else 0


def maker(call: str, path: str | None) -> Callable[[], int] | None:
    """How the call is made so that it does nothing, and still reaches the kernel.

    What it needs is got ready here, before anything is made to fail. None when it is not known how.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def said(result: int) -> int:
        return ctypes.get_errno() if result == -1 else 0

    writes = call in ("write", "pwrite64")
    fd = os.open(path or "/dev/zero", os.O_WRONLY if writes else os.O_RDONLY)
    name = os.fsencode(path or "/")
    spare = os.open("/", os.O_RDONLY)
    buffer, moment = ctypes.create_string_buffer(64), (ctypes.c_long * 2)(0, 1)
    table: dict[str, Callable[[], int]] = {
        "open": lambda: said(libc.open(name, os.O_RDONLY)),
        "read": lambda: said(libc.read(fd, buffer, 0)),
        "pread64": lambda: said(libc.pread(fd, buffer, 0, 0)),
        "write": lambda: said(libc.write(fd, buffer, 0)),
        "pwrite64": lambda: said(libc.pwrite(fd, buffer, 0, 0)),
        "fsync": lambda: said(libc.fsync(fd if path else spare)),
        "close": lambda: said(libc.close(spare)),
        "dup": lambda: said(libc.dup(spare)),
        "getrandom": lambda: said(libc.getrandom(buffer, 1, 0)),
        "gettimeofday": lambda: said(libc.gettimeofday(buffer, None)),
        "clock_gettime": lambda: said(libc.clock_gettime(0, buffer)),
        "ioctl": lambda: said(libc.ioctl(fd, 0, 0)),
        "clock_nanosleep": lambda: int(libc.clock_nanosleep(0, 0, moment, None)),
        "fork": _forked,
        "mmap": lambda: _mapped(libc),
        "munmap": lambda: said(libc.munmap(0, 4096)),
        "brk": lambda: _grown(libc),
        "mlock": lambda: said(libc.mlock(None, 0)),
        # Moves nothing to nowhere.
        "mount": lambda: said(libc.mount(b"", b"/", b"", _MOVE, None)),
        "swapon": lambda: said(libc.swapon(b"", 0)),
        "unlink": lambda: said(libc.unlink(b"")),
        "rename": lambda: said(libc.rename(b"", b"")),
        "stat": lambda: said(libc.access(b"", 0)),
        **_of_sockets(libc, said),
        **_of_itself(libc, said),
    }
    table |= {
        "openat": table["open"],
        "clone": table["fork"],
        "nanosleep": table["clock_nanosleep"],
    }
    return table.get(call)


def _of_sockets(libc: ctypes.CDLL, said: Callable[[int], int]) -> Mapping[str, Callable[[], int]]:
    here, _there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # They live as long as the process, which makes one call.
    one, other = here.detach(), stream.detach()
    peer = _there.detach()
    nobody = b"\x01\x00\x00" + os.urandom(12)
    data = ctypes.create_string_buffer(64)
    return {
        "sendmmsg": lambda: said(libc.sendmmsg(one, data, 1, _NO_WAIT)),
        "sendmsg": lambda: said(libc.sendmsg(one, data, _NO_WAIT)),
        "sendto": lambda: said(libc.sendto(one, data, 0, _NO_WAIT, None, 0)),
        "recvmsg": lambda: said(libc.recvmsg(peer, data, _NO_WAIT)),
        "recvfrom": lambda: said(libc.recvfrom(peer, data, 1, _NO_WAIT, None, None)),
        "socket": lambda: said(libc.socket(int(socket.AF_UNIX), int(socket.SOCK_STREAM), 0)),
        "connect": lambda: said(libc.connect(other, nobody, len(nobody))),
        "accept": lambda: said(libc.accept(other, None, None)),
        "bind": lambda: said(libc.bind(other, nobody, 2)),
        "listen": lambda: said(libc.listen(other, 1)),
    }


def _of_itself(libc: ctypes.CDLL, said: Callable[[int], int]) -> Mapping[str, Callable[[], int]]:
    """Calls that make the process what it is already."""
    space = os.open("/proc/self/ns/uts", os.O_RDONLY)
    limits = (ctypes.c_ulong * 2)()
    libc.prlimit(0, _FILES, None, limits)
    libc.mmap.restype = ctypes.c_void_p
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    page = ctypes.c_void_p(libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, flags, -1, 0))
    return {
        "setns": lambda: said(libc.setns(space, 0)),
        "prlimit64": lambda: said(libc.prlimit(0, _FILES, limits, None)),
        "mprotect": lambda: said(libc.mprotect(page, mmap.PAGESIZE, mmap.PROT_READ)),
    }


def timed(call: Callable[[], int]) -> tuple[int, float]:
    """The result of a call, and after how many seconds."""
    before = time.monotonic()
    said = call()
    return said, time.monotonic() - before


def _forked() -> int:
    try:
        child = os.fork()
    except OSError as error:
        return error.errno or 0
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return 0


def _mapped(libc: ctypes.CDLL) -> int:
    libc.mmap.restype = ctypes.c_void_p
    size, flags = mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    found = libc.mmap(None, size, mmap.PROT_READ, flags, -1, 0)
    return ctypes.get_errno() if found == ctypes.c_void_p(-1).value else 0


def _grown(libc: ctypes.CDLL) -> int:
    """The heap by a page, and back; the kernel refuses by leaving it as it was."""
    libc.syscall.restype = ctypes.c_long
    number = _BRK.get(platform.machine(), -1)
    now = libc.syscall(number, 0)
    if now == -1:
        return ctypes.get_errno()
    after = libc.syscall(number, ctypes.c_long(now + mmap.PAGESIZE))
    if after == -1:
        return ctypes.get_errno()
    libc.syscall(number, ctypes.c_long(now))
    return 0 if after > now else errno.ENOMEM
