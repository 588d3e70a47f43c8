"""A machine that QEMU makes, without any support of the processor, with a kernel of Debian's and all in memory."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from sregym_nodes import console_guest

from .archive import Archive, linked
from .bound import Bound
from .guest import Reached
from .needing import needs

IMAGES = Path(__file__).resolve().parents[3] / ".tox" / "images"
PROGRAMS = (
    *("/usr/bin/python3", "/usr/bin/redis-server", "/usr/bin/redis-cli", "/bin/busybox"),
    *("/usr/bin/pgrep", "/usr/bin/pkill"),
)
PYTHON = Path("/usr/lib/python3.11")
APPLETS = (
    *("sh", "cat", "mkdir", "rmdir", "mount", "ip", "ls", "sync", "echo", "cp", "mv", "rm", "ps"),
    *("sleep", "seq", "grep", "kill", "uname"),
)
_BOOT_S = 120.0
INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t devtmpfs dev /dev && mount -t proc proc /proc && mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp && mount -t tmpfs run /run && mount -t tmpfs mnt /mnt
mount -t cgroup2 groups /sys/fs/cgroup
echo "+cpu +memory +io +pids" > /sys/fs/cgroup/cgroup.subtree_control
mount -t securityfs security /sys/kernel/security
mount -t bpf pins /sys/fs/bpf
echo 1 > /proc/sys/kernel/printk
ip link set lo up
exec python3 -I /loop.py
"""


class Machine(Reached):
    """A running one; leaving the context stops it.

    Args:
        image: The kernel.
        root: Its files.
        memory: How much of it.
    """

    def __init__(self, image: Path, root: Path, memory: str = "768M") -> None:
        self._words = (
            *("qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max"),
            *("-smp", "1", "-m", memory, "-nodefaults", "-no-reboot", "-display", "none"),
            *("-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"),
            *("-kernel", str(image), "-initrd", str(root)),
            *("-append", "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off no_timer_check"),
        )

    def __enter__(self) -> Machine:
        self.process = Bound(self._words)
        self.run = self.process.console
        self.process.wait_until_ready(_BOOT_S)
        return self

    def __exit__(self, *error: object) -> None:
        self.process.end()


def root(
    into: Path, programs: Sequence[str] = (), files: Mapping[str, bytes] | None = None
) -> Path:
    """Files of this machine that a guest needs, as one archive.

    Args:
        into: Its file.
        programs: Further ones.
        files: Of its own, by their names.
    """
    meant = (*PROGRAMS, *programs)
    needs(*(Path(program).name for program in meant))
    archive = Archive()
    for program in meant:
        archive.program(Path(program))
    for name, data in (files or {}).items():
        archive.add(name, data)
    for applet in APPLETS:
        archive.link(f"usr/bin/{applet}", "busybox")
    archive.copy(PYTHON)
    for module in sorted((PYTHON / "lib-dynload").glob("*.so")):
        for library in linked(module):
            archive.copy(library)
    archive.add("init", INIT.encode(), 0o755)
    archive.add("loop.py", Path(console_guest.__file__).read_bytes())
    into.write_bytes(archive.content())
    return into


def image(version: str, into: Path) -> Path:
    """The kernel of a version, from the package that `tools/kernel_images.py` has got.

    Args:
        version: `6.1`, `6.12`.
        into: A folder for it.
    """
    return unpacked(version, into)[1]


def unpacked(version: str, into: Path) -> tuple[Path, Path]:
    """The folder of the unpacked package, with the modules, and the kernel in it."""
    needs("qemu-system-x86_64", "dpkg-deb")
    found = [
        path
        for path in sorted(IMAGES.glob("linux-image-*.deb"))
        if re.match(rf"linux-image-{re.escape(version)}[.+-]", path.name)
    ]
    if not found:
        pytest.skip(f"needs Debian's kernel {version}: python tools/kernel_images.py")
    subprocess.run(["dpkg-deb", "-x", str(found[-1]), str(into)], check=True)
    (kernel,) = (into / "boot").glob("vmlinuz-*")
    return into, kernel
