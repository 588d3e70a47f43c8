"""Where in the kernel a call can be answered: the question of its security modules that lies in its way."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, FrozenSet, NamedTuple  # noqa: UP035 - read at run time by Python 3.9

from . import calls

if TYPE_CHECKING:
    from collections.abc import Mapping


class Hook(NamedTuple):
    """Such a question.

    Attributes:
        name: Function `security_<name>` of the kernel.
        about: What its first argument holds of the file: `path` where that is known, `inode` where
            only the file itself is known, empty where it is about none.
        errors: Answers that reach the caller; none named: all.
        module: How security modules call it, where that is another word.
    """

    name: str
    about: str = ""
    errors: FrozenSet[str] = frozenset()  # noqa: UP006 - likewise
    module: str = ""


_OPEN, _PERMISSION = Hook("file_open", "path"), Hook("file_permission", "path")
# The kernel asks no other question on the way of these; it makes of any no the same error.
_CAPABLE = Hook("capable", errors=frozenset({"EPERM"}))
_MEMORY = Hook("vm_enough_memory_mm", errors=frozenset({"ENOMEM"}), module="vm_enough_memory")
_FORK = Hook("task_alloc")
HOOKS: Mapping[str, Hook] = {
    "open": _OPEN,
    "openat": _OPEN,
    "read": _PERMISSION,
    "pread64": _PERMISSION,
    "write": _PERMISSION,
    "pwrite64": _PERMISSION,
    "ioctl": Hook("file_ioctl", "inode"),
    "mmap": Hook("mmap_file"),
    "mprotect": Hook("file_mprotect"),
    "brk": _MEMORY,
    "fork": _FORK,
    "clone": _FORK,
    "socket": Hook("socket_create"),
    "bind": Hook("socket_bind"),
    "connect": Hook("socket_connect"),
    "listen": Hook("socket_listen"),
    "accept": Hook("socket_accept"),
    "sendto": Hook("socket_sendmsg"),
    "sendmsg": Hook("socket_sendmsg"),
    "sendmmsg": Hook("socket_sendmsg"),
    "recvfrom": Hook("socket_recvmsg"),
    "recvmsg": Hook("socket_recvmsg"),
    "mount": Hook("sb_mount"),
    # Only what sets limits is asked about, not what reads them.
    "prlimit64": Hook("task_setrlimit"),
    "setns": _CAPABLE,
    "swapon": _CAPABLE,
}
# Calls that are answered in user space.
IN_USER_SPACE = frozenset({"gettimeofday", "clock_gettime"})
# By processor: x86-64, and all that have the numbers of newer ones.
_NUMBERS = """
open 2 - openat 257 56 openat2 437 437 creat 85 - read 0 63 readv 19 65 pread64 17 67 preadv 295 69
preadv2 327 286 write 1 64 writev 20 66 pwrite64 18 68 pwritev 296 70 pwritev2 328 287 fsync 74 82
fdatasync 75 83 fork 57 - vfork 58 - clone 56 220 clone3 435 435 dup 32 23 dup2 33 - dup3 292 24
mlock 149 228 mlock2 325 284 mlockall 151 230 accept 43 202 accept4 288 242 nanosleep 35 101
clock_nanosleep 230 115 close 3 57 getrandom 318 278 ioctl 16 29 sendmmsg 307 269 sendto 44 206
sendmsg 46 211 recvfrom 45 207 recvmsg 47 212 setns 308 268 prlimit64 302 261 socket 41 198
connect 42 203 bind 49 200 listen 50 201 mmap 9 222 munmap 11 215 brk 12 214 mprotect 10 226
mount 165 40 swapon 167 224
"""
_MACHINES = ("x86_64", "aarch64")
_PREFIXES = {"x86_64": "__x64_sys_", "aarch64": "__arm64_sys_"}


def functions() -> list[str]:
    """All functions of the kernel that are one of these, for either kind of program."""
    return sorted(
        {f"security_{hook.name}" for hook in HOOKS.values()}
        | {f"bpf_lsm_{hook.module or hook.name}" for hook in HOOKS.values()}
    )


def numbers() -> Mapping[str, int]:
    """Numbers of calls on this machine's processor; none for processors that are not known."""
    machine = platform.machine()
    if machine not in _MACHINES:
        return {}
    words = _NUMBERS.split()
    column = dict(enumerate(words[1 + _MACHINES.index(machine) :: 3]))
    names = enumerate(words[::3])
    return {name: int(column[at]) for at, name in names if column[at] != "-"}


def numbers_of(call: str) -> list[int]:
    """Those of a call and its variants."""
    known = numbers()
    return [known[name] for name in calls.variants(call) if name in known]


def entries_of(call: str) -> list[str]:
    """Functions of the kernel at which a call and its variants enter it."""
    known, prefix = numbers(), _PREFIXES.get(platform.machine(), "")
    return [prefix + name for name in calls.variants(call) if name in known]
