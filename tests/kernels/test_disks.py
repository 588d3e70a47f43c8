"""Disks of a guest with Debian's user-mode Linux go bad below a live file system, and are whole again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from real.guest import Guest
from real.needing import needs
from real.stores import normal
from sregym_nodes.remote import AgentError, NodeAgent

WORDS = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text())
UNPREPARED = "fuse-disk: device {} is not one that was prepared (`prepare`), so nothing of it can go bad here"
DATA, OTHER = "/mnt/v/data", "/mnt/v/other"
# Two segments, and the file in the second.
PREPARE = """
truncate -s 64M /tmp/disk
truncate -s 16M /tmp/plain
loop=$(losetup -f --show /tmp/disk)
plain=$(losetup -f --show /tmp/plain)
printf '0 8192 linear %s 0\n8192 122880 linear %s 8192\n' $loop $loop | dmsetup create --noudevsync vol-data
dmsetup mknodes
mkfs.ext4 -q -b 4096 /dev/mapper/vol-data
mkfs.ext4 -q $plain
mkdir -p /mnt/v /mnt/plain
mount /dev/mapper/vol-data /mnt/v
mount $plain /mnt/plain
head -c 4000000 /dev/urandom > /mnt/v/data
head -c 400000 /dev/urandom > /mnt/v/other
head -c 400000 /dev/urandom > /mnt/plain/data
sync
"""


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    needs("linux.uml", "dmsetup", "losetup", "mkfs.ext4", "busybox")
    with Guest(tmp_path_factory.mktemp("guest")) as started:
        started.said("sh", "-ec", PREPARE)
        yield started


@pytest.fixture
def agent(guest: Guest) -> Iterator[NodeAgent]:
    """Nothing is left on the guest after each test, and no byte is lost."""
    made = guest.agent()
    assert made.changes() == ()
    before = left(guest)
    yield made
    made.undo()
    assert left(guest) == before


def left(guest: Guest) -> list[str]:
    looks = (
        "dmsetup table",
        "losetup -nO name",
        "ls /dev/shm /run/nodectl/held",
        "md5sum /mnt/v/*",
    )
    script = "; ".join(("sync", *looks, "ps -eo comm | grep -c python3"))
    return guest.run(("sh", "-c", script)).stdout.splitlines()


def disk(mode: str, **more: Any) -> dict[str, Any]:
    return {"key": f"disk {mode}", "kind": "disk", "mode": mode, "device": "vol-data", **more}


def blocks(agent: NodeAgent) -> list[list[int]]:
    """Four in the middle of the file."""
    found = agent.ask("locate", {"path": DATA})
    assert found["device"] == "vol-data"
    first = found["blocks"][0][0] + 20
    return [[first, first + 3]]


def read(guest: Guest, path: str) -> str:
    """How many bytes can be read, and what is said then."""
    done = guest.run(("sh", "-c", f"cat {path} | wc -c"))
    return f"{done.stdout.strip()} {done.stderr.strip()}".strip()


@pytest.mark.parametrize("backend", ["dm-dust", "dm-error"])
def test_bad_sectors_below_a_file(backend: str, agent: NodeAgent, guest: Guest) -> None:
    bad = blocks(agent)
    applied = agent.apply(disk("bad", blocks=bad), "auto" if backend == "dm-dust" else backend)
    assert (applied.backend, applied.effect) == (
        backend,
        {"seen": "4 blocks give Input/output error, others do not"},
    )
    assert read(guest, DATA).endswith(f"cat: {DATA}: Input/output error")
    assert read(guest, OTHER) == "400000"
    # What an engineer types who knows nothing of the agent; what is left goes by itself.
    (change,) = agent.changes()
    for argv in change["repair"]:
        guest.said(*argv)
    assert agent.changes() == ()
    assert read(guest, DATA) == "4000000"


def test_a_write_heals_dust_as_it_heals_a_disk(agent: NodeAgent, guest: Guest) -> None:
    bad = blocks(agent)
    agent.apply(disk("bad", blocks=bad))
    assert agent.changes()[0]["stands"]
    block = bad[0][0]
    guest.said(
        "sh",
        "-c",
        f"dd if=/tmp/disk of=/tmp/four bs=4096 skip={block} count=4 && "
        f"dd if=/tmp/four of=/dev/mapper/vol-data bs=4096 seek={block} oflag=direct conv=notrunc",
    )
    assert agent.changes() == ()
    assert read(guest, DATA) == "4000000"


def test_a_disk_that_lies(agent: NodeAgent, guest: Guest) -> None:
    """Without an error; and what is written to such blocks meanwhile is not lost."""
    whole = guest.said("md5sum", DATA)
    applied = agent.apply(disk("corrupt", blocks=blocks(agent)))
    assert applied.effect == {"seen": "4 blocks give other bytes, without an error"}
    assert read(guest, DATA) == "4000000"
    assert guest.said("md5sum", DATA) != whole
    agent.undo()
    assert guest.said("md5sum", DATA) == whole


def test_what_is_written_to_lying_blocks_comes_home(agent: NodeAgent, guest: Guest) -> None:
    agent.apply(disk("corrupt", blocks=blocks(agent)))
    position = 20 * 4096 + 5
    write = f"import os; fd = os.open('{DATA}', os.O_RDWR); os.pwrite(fd, b'kept', {position}); os.fsync(fd)"
    read_back = f"import os; print(os.pread(os.open('{DATA}', os.O_RDONLY), 4, {position}))"
    before = guest.said(
        "/usr/bin/python3", "-c", read_back.replace("print(", "print(list(").replace("))", ")))")
    )
    guest.said("/usr/bin/python3", "-c", write)
    agent.undo()
    assert guest.said("/usr/bin/python3", "-c", read_back).strip() == "b'kept'"
    restore = write.replace("b'kept'", f"bytes({before.strip()})")
    guest.said("/usr/bin/python3", "-c", restore)


def test_a_store_on_bad_sectors(agent: NodeAgent, guest: Guest) -> None:
    """It says the very words that it says when the call itself fails: a page is read to be written."""
    needs("redis-server", "redis-cli")
    start = (
        "redis-server --port 0 --unixsocket /tmp/s --dir /mnt/v --appendonly yes --appendfsync always "
        "--save '' --daemonize yes --logfile /tmp/redis.log --pidfile /tmp/redis.pid; "
        "for i in $(seq 100); do redis-cli -s /tmp/s set a 1 | grep -q OK && exit 0; sleep 0.1; done; exit 1"
    )
    guest.said("sh", "-c", start)
    try:
        found = agent.ask("locate", {"path": "/mnt/v/appendonlydir/appendonly.aof.1.incr.aof"})
        agent.apply(disk("bad", blocks=found["blocks"]), "dm-error")
        guest.run(("redis-cli", "-s", "/tmp/s", "set", "a", "2"))
        log = guest.said("cat", "/tmp/redis.log")
    finally:
        guest.run(("sh", "-c", "kill $(cat /tmp/redis.pid); rm -rf /mnt/v/appendonlydir"))
    agent.undo()
    assert [normal(line) for line in log.splitlines()][-2:] == WORDS["redis"]["write EIO"]["lines"]


def test_a_slow_disk(agent: NodeAgent, guest: Guest) -> None:
    applied = agent.apply(disk("slow", delay_ms=200))
    assert applied.backend == "dm-delay"
    assert int(applied.effect["seen"].split()[3]) >= 160
    agent.undo()


def test_a_flaky_disk(agent: NodeAgent, guest: Guest) -> None:
    applied = agent.apply(disk("flaky", share=0.5))
    assert (applied.backend, applied.effect) == ("dm-flakey", {"seen": "reads fail within 3 s"})
    agent.undo()
    assert read(guest, OTHER) == "400000"


def test_who_puts_the_table_back_has_repaired_it(agent: NodeAgent, guest: Guest) -> None:
    before = guest.said("dmsetup", "table", "vol-data")
    agent.apply(disk("slow", delay_ms=20))
    guest.said("dmsetup", "load", "vol-data", stdin=before)
    for verb in ("suspend", "resume"):
        guest.said("dmsetup", verb, "--noudevsync", "vol-data")
    assert agent.changes() == ()
    agent.undo()
    assert guest.said("dmsetup", "table", "vol-data") == before


def test_the_guest_heals_itself(agent: NodeAgent, guest: Guest) -> None:
    """Nobody renews it; and the process that holds it is lost as well."""
    brief = NodeAgent("guest", guest.run, "harness-1", lease_s=3.0)
    brief.apply(disk("slow", delay_ms=20))
    look = "for i in $(seq 200); do dmsetup table vol-data | grep -q delay || exit 0; sleep 0.1; done; exit 1"
    assert guest.run(("sh", "-c", look)).exit_code == 0
    assert agent.changes() == ()


class TestRefusals:
    """Each before anything is changed: the fixture looks."""

    def refused(self, agent: NodeAgent, ask: dict[str, Any]) -> str:
        with pytest.raises(AgentError) as caught:
            agent.apply(ask)
        return str(caught.value)

    def test_two_on_one_disk(self, agent: NodeAgent) -> None:
        agent.apply(disk("slow", delay_ms=20))
        assert self.refused(agent, disk("flaky", share=0.5)) == (
            "node 'guest': disk vol-data is taken by 'disk slow' already; undo that first, or put "
            "this elsewhere"
        )

    def test_a_block_that_there_is_not(self, agent: NodeAgent) -> None:
        assert self.refused(agent, disk("bad", blocks=[[16000, 17000]])) == (
            "node 'guest': nothing was changed, no back end can do 'disk bad' here. dm-dust: device "
            "vol-data has blocks 0 to 16383, not 16000 to 17000; dm-error: device vol-data has "
            f"blocks 0 to 16383, not 16000 to 17000; {UNPREPARED.format('vol-data')}"
        )

    def test_a_device_that_there_is_not(self, agent: NodeAgent) -> None:
        ask = disk("slow", delay_ms=20) | {"device": "other"}
        assert self.refused(agent, ask) == (
            "node 'guest': nothing was changed, no back end can do 'disk slow' here. dm-delay: "
            "there is no device 'other' of the device mapper; there are: vol-data; "
            f"{UNPREPARED.format('other')}"
        )

    def test_a_disk_that_the_tools_lie_on(self, agent: NodeAgent, guest: Guest) -> None:
        """Nothing could put the other table in place: the machine would hang."""
        tool = guest.said("sh", "-c", "command -v dmsetup").strip()
        moved = f"cp {tool} /mnt/v/tool && mount --bind /mnt/v/tool {tool}"
        guest.said("sh", "-ec", moved)
        try:
            said = self.refused(agent, disk("slow", delay_ms=20))
        finally:
            guest.said("sh", "-ec", f"umount {tool} && rm /mnt/v/tool")
        assert said == (
            "node 'guest': nothing was changed, no back end can do 'disk slow' here. dm-delay: device "
            f"vol-data carries {tool}, which is needed to swap its table: while it stands still "
            "nothing could be read there, and this machine would hang; choose a volume of its own; "
            f"{UNPREPARED.format('vol-data')}"
        )

    def test_a_volume_that_lies_on_a_disk_itself(self, agent: NodeAgent) -> None:
        with pytest.raises(AgentError) as caught:
            agent.ask("locate", {"path": "/mnt/plain/data"})
        assert str(caught.value) == (
            "node 'guest': /mnt/plain/data lies on loop1 itself, not on a device of the device "
            "mapper, so nothing can be put below it while it is in use; put its volume on one "
            "before (LVM, or a linear table over it)"
        )


def test_a_kernel_without_modules(tmp_path_factory: pytest.TempPathFactory) -> None:
    """dm-error takes the place of dust; nothing that of flakey."""
    needs("linux.uml", "dmsetup", "busybox")
    missing = ("dm-dust", "dm-flakey", "dm-delay")
    with Guest(tmp_path_factory.mktemp("guest"), without=missing) as guest:
        asks = [{"key": "k", "kind": "disk", "mode": mode} for mode in ("bad", "slow")]
        bad, slow = guest.agent().examine(asks)
    kernel = bad["dm-dust"].split()[1]
    user = {
        "fuse-disk": "a disk of user space cannot be served here: /dev/fuse cannot be opened: No such file "
        "or directory; load the module fuse, or take a kernel that has it"
    }
    assert (bad, slow) == (
        {
            "dm-dust": f"kernel {kernel} has no target 'dust' of the device mapper; load the module "
            "dm-dust, or take a kernel that has it",
            "dm-error": "",
            **user,
        },
        {
            "dm-delay": f"kernel {kernel} has no target 'delay' of the device mapper; load the module "
            "dm-delay, or take a kernel that has it",
            **user,
        },
    )
