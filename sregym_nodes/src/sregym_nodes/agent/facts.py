"""What this machine is: kernel, boot, control groups, processes, the clock that goes on in sleep."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def now() -> float:
    """Seconds since the machine was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def boot_id() -> str:
    """A word that is another one after each start of the machine."""
    return read(Path("/proc/sys/kernel/random/boot_id")).strip()


def read(path: Path) -> str:
    """A small file, or nothing where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def inside(folder: Path) -> list[Path]:
    """What is in a folder; nothing where there is none, or none any more."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def kernel() -> str:
    """The release of the kernel."""
    return platform.release()


def cgroup_version() -> int:
    """2 where one hierarchy has all controllers, 1 where each has its own, 0 for none."""
    if "cpu" in read(CGROUPS / "cgroup.controllers").split():
        return 2
    return 1 if (CGROUPS / "cpu").is_dir() else 0


def started(pid: int) -> int:
    """When a process was started, in ticks since boot; 0 when there is none (zombies are none)."""
    text = read(Path(f"/proc/{pid}/stat"))
    fields = text.rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[0] not in ("Z", "X") else 0


def status(pid: int, field: str) -> str:
    """A field of `/proc/PID/status`."""
    for line in read(Path(f"/proc/{pid}/status")).splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return value.strip()
    return ""


def name_of(pid: int) -> str:
    """The name of a process, as `ps` shows it."""
    return status(pid, "Name")


def is_root() -> bool:
    """Whether this program may do what root may."""
    return os.geteuid() == 0
