"""Debian's user-mode Linux: a kernel that runs as a process, with this machine's files as its root."""

from __future__ import annotations

from pathlib import Path

from sregym_nodes.console import Console
from sregym_nodes.remote import LEASE_S, NodeAgent

from sregym_nodes import console_guest

from .bound import Bound

MODULES = (
    *("drivers/block/loop", "drivers/md/dm-mod", "drivers/md/dm-bufio", "drivers/md/dm-dust"),
    *("drivers/md/dm-flakey", "drivers/md/dm-delay", "net/sched/sch_netem", "net/sched/sch_tbf"),
    *("net/sched/sch_prio", "net/sched/sch_ingress", "net/sched/cls_matchall"),
    *("net/sched/act_mirred", "drivers/net/ifb"),
)
INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec 9<{loop}
{first}mount -t proc proc /proc && mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp && mount -t tmpfs run /run && mount -t tmpfs lib /var/lib && mount -t tmpfs mnt /mnt
mkdir -p /dev/shm && mount -t tmpfs shm /dev/shm
mount -t cgroup2 groups /sys/fs/cgroup
echo "+cpu +memory +io +pids" > /sys/fs/cgroup/cgroup.subtree_control
echo 1 > /proc/sys/kernel/printk
modules=/usr/lib/uml/modules/$(uname -r)/kernel
for module in {modules}; do busybox insmod $modules/$module.ko; done
ip link set lo up
{more}
exec /usr/bin/python3 -I /proc/self/fd/9
"""


class Reached:
    """What a guest does that is reached by its console."""

    run: Console

    def agent(self, owner: str = "harness-1", lease_s: float = LEASE_S) -> NodeAgent:
        return NodeAgent("guest", self.run, owner, lease_s)

    def said(self, *argv: str, stdin: str = "") -> str:
        """What a command printed that went well."""
        done = self.run(argv, stdin)
        assert done.exit_code == 0, (argv, done.stdout, done.stderr)
        return done.stdout


class Guest(Reached):
    """A running one; leaving the context stops it.

    Args:
        folder: For its few files.
        without: Modules that it is to lack, by the ends of their names.
    """

    memory = "512M"
    # Further words of the kernel's command line, and further modules.
    words: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    # What is left of it on this machine, and how that goes.
    left = ""

    def __init__(self, folder: Path, without: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self._without = without

    def first(self) -> str:
        """What it does before its own folders are there."""
        return ""

    def more(self) -> str:
        """What it does before it answers."""
        return ""

    def __enter__(self) -> Guest:
        init = self.folder / "init"
        loaded = [
            name for name in (*MODULES, *self.modules) if not name.endswith(self._without or ("/",))
        ]
        init.write_text(
            INIT.format(
                modules=" ".join(loaded),
                loop=self._loop(),
                first=self.first(),
                more=self.more(),
            )
        )
        init.chmod(0o755)
        self.process = Bound(
            (
                *("linux.uml", f"mem={self.memory}", "rootfstype=hostfs", "rootflags=/", "ro"),
                *(f"init={init}", "con=null", "con0=fd:0,fd:1", f"umid=guest-{id(self)}"),
                *self.words,
                f"uml_dir={self.folder}/",
            ),
            self.left,
        )
        self.run = self.process.console
        self.process.wait_until_ready(60)
        return self

    def __exit__(self, *error: object) -> None:
        self.process.end()

    def _loop(self) -> str:
        copy = self.folder / "loop.py"
        copy.write_bytes(Path(console_guest.__file__).read_bytes())
        return str(copy)
