"""Lines of a node's journal that follow from what has happened on it: its boot, its kernel, its kubelet."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.node import heartbeats
from sregym_cluster_embedded.userland.host.entries import ERROR, INFO, WARNING, Entry
from sregym_cluster_embedded.userland.host.klog import kubelet_line
from sregym_cluster_embedded.userland.host.node import booted_at, unix
from sregym_cluster_embedded.userland.host.redacted import redaction_of
from sregym_cluster_embedded.userland.host.units import KUBELET, main_pid, service_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.world import World

DMESG: TableKey[str, tuple[tuple[float, str], ...]] = TableKey("userland.dmesg")
_SECTOR = 512


def observed(world: World, node: str) -> list[Entry]:
    """The lines that need not be kept."""
    return [*kernel_lines(world, node), *_kubelet_lines(world, node), *_stopped(world, node)]


def kernel_lines(world: World, node: str) -> list[Entry]:
    """What the kernel of a node has said, oldest first."""
    began = booted_at(world, node) - world.epoch
    found = [Entry(began + at, "", "kernel", 0, text, INFO) for at, text in _boot(world, node)]
    for at, text in world.table(DMESG).get(node, ()):
        found.append(Entry(at, "", "kernel", 0, text, WARNING))
    found += [entry for entry in _disk_lines(world, node) if entry.at >= began]
    return sorted(found, key=lambda entry: entry.at)


def _boot(world: World, node: str) -> Iterator[tuple[float, str]]:
    machine = machines.machine(world, node)
    if machine is None:
        return
    kib = machine.memory_kib
    yield (
        0.0,
        f"Linux version {machines.KERNEL} (build@host) {machines.KERNEL_BUILD}",
    )
    yield 0.0, f"Command line: BOOT_IMAGE=/boot/vmlinuz-{machines.KERNEL} root=/dev/vda1 ro quiet"
    yield 0.021, f"Memory: {kib * 97 // 100}K/{kib}K available"
    yield (
        1.204,
        f"virtio_blk virtio2: [vda] {machine.root.size_bytes // _SECTOR} 512-byte logical blocks",
    )
    yield 2.310, "EXT4-fs (vda1): mounted filesystem with ordered data mode. Quota mode: none."
    yield 3.122, "systemd[1]: systemd 252.38-1~deb12u1 running in system mode"
    yield 4.870, "bridge: filtering via arp/ip/ip6tables is no longer available by default."
    yield 6.001, "cni0: port 1(veth0) entered forwarding state"


def _disk_lines(world: World, node: str) -> Iterator[Entry]:
    """A disk that reports errors, or became read-only, from the moment at which it did."""
    past = machines.past(world, node)
    for (_, before), (at, after) in pairwise(past):
        fresh = [pair for pair in after.root.bad_blocks if pair not in before.root.bad_blocks]
        for first, _ in fresh:
            sector = first * machines.BLOCK // _SECTOR
            yield Entry(
                at, "", "kernel", 0,
                f"critical medium error, dev vda, sector {sector} op 0x0:(READ) flags 0x80700 "
                "phys_seg 1 prio class 2", ERROR,
            )  # fmt: skip
            yield Entry(
                at, "", "kernel", 0,
                f"Buffer I/O error on dev vda1, logical block {first}, async page read", ERROR,
            )  # fmt: skip
        if after.root.read_only and not before.root.read_only:
            text = "EXT4-fs (vda1): Remounting filesystem read-only"
            yield Entry(at, "", "kernel", 0, text, ERROR)


def _kubelet_lines(world: World, node: str) -> Iterator[Entry]:
    redaction = redaction_of(world)
    for event in world.store.list("events"):
        source = event.get("source") or {}
        if not redaction.empty and redaction.hides_event(event):
            continue
        if source.get("component") != "kubelet" or source.get("host") != node:
            continue
        moment = event.get("lastTimestamp") or event.get("firstTimestamp") or event.get("eventTime")
        if not moment:
            continue
        at = unix(moment) - world.epoch
        line = kubelet_line(world, node, event, at)
        if line is not None:
            priority = ERROR if line.startswith("E") else WARNING if line.startswith("W") else INFO
            yield Entry(at, KUBELET, "kubelet", main_pid(world, node, KUBELET), line, priority)


def _stopped(world: World, node: str) -> Iterator[Entry]:
    """A kubelet that was stopped without a line in the journal."""
    since = heartbeats.silent_since(world, node)
    stopped = unresponsive.absent(world, node) == unresponsive.STOPPED
    if not stopped or since is None or service_state(world, node, KUBELET).state != "active":
        return
    name = "kubelet: The Kubernetes Node Agent"
    for text in (
        f"Stopping {KUBELET} - {name}...", f"{KUBELET}: Deactivated successfully.",
        f"Stopped {KUBELET} - {name}.",
    ):  # fmt: skip
        yield Entry(since, KUBELET, "systemd", 1, text)
