"""node-exporter: what the kernel of each node says."""

from __future__ import annotations

from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.clock.jitter import level, place
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.metrics.exporters.kubelets import cores_of, node_targets
from sregym_cluster_embedded.telemetry.metrics.exporters.node_memory import (
    NodeMemory,
    Of,
    holding,
    kills,
)
from sregym_cluster_embedded.telemetry.metrics.exporters.processor_time import Part, Rest, Until
from sregym_cluster_embedded.telemetry.metrics.exporters.volumes import steps_of
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    FOREVER,
    Exporter,
    Family,
    Pairs,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.jitter import Unsteady, drift
from sregym_cluster_embedded.telemetry.metrics.view import (
    DISKS,
    INSTANCES,
    INSTANCES_IN_ORDER,
    MACHINES,
)
from sregym_cluster_embedded.telemetry.metrics.work import cpu, end_of, in_flight, waiting
from sregym_cluster_embedded.userland.space import space_history

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.machines import Disk, Machine
    from sregym_cluster_embedded.telemetry.metrics.exposition import Value
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.traffic.segments import Segment

    Said: TypeAlias = Iterator[tuple[Pairs, Value]]

# Of the time that a busy processor works.
_MODES = (("user", 0.66), ("system", 0.27), ("softirq", 0.03), ("iowait", 0.04))
_IDLE_MODES = ("idle", "irq", "nice", "steal")
_KIB = 1024.0
_BUFFERED_SHARE = 0.022
_IN_BYTES, _OUT_BYTES = 640.0, 1180.0
# How unequal processors are; what else wants to run.
_UNFAIR, _QUEUED = 0.15, 0.04
# Connections that are closed again at once; how long before its kubelet a machine booted; how far
# its clock is off.
_SHORT, _BOOT_S, _TREMBLES_S = 9.0, 48, 0.00018


class _Node:
    """One node, over its whole past."""

    def __init__(self, view: View, name: str) -> None:
        self.name, self.epoch = name, view.world.epoch
        self.cores = max(int(cores_of(view, name)), 1)
        self.past = machines.past(view.world, name)
        self.instances = [one for one in view.instances_in_order if one.process.config.node == name]
        self._known: tuple[Floats, Floats] | None = None
        self.begin = place("node", name)
        self.overhead = view.world.service(USAGE).node_overhead(view.world, name)
        self._line = view.past.one(Key("nodes", "", name))
        self._pods, self._held = view.pods, dict(space_history(view.world))

    def was(self, of: Callable[[Machine], float]) -> Steps:
        """A property of the machine over time."""
        return Steps([at for at, _ in self.past] or [0.0], [of(m) for _, m in self.past] or [0.0])

    def busy(self, seconds: Floats) -> Floats:
        """CPU seconds used since the beginning."""
        known = self._known
        if known is not None and known[0] is seconds:
            return known[1]
        total = self._own(seconds)
        for used in self._used:
            total = total + used(seconds)
        # Replaced as a whole: forks that share this may ask at the same time.
        self._known = (seconds, total)
        return total

    def memory(self, of: Of) -> NodeMemory:
        """A part of the memory that is left."""
        others = self.was(lambda machine: machine.other_memory_kib * _KIB)
        total = self.was(lambda machine: machine.memory_kib * _KIB)
        return NodeMemory(self.begin, self.overhead[1], holding(self.instances), others, total, of)

    @cached_property
    def _own(self) -> Unsteady:
        """What kubelet, runtime and system use."""
        return Unsteady(Integral([0.0], [self.overhead[0] / 1e9], FOREVER), "node", self.name)

    @cached_property
    def _used(self) -> Sequence[Callable[[Floats], Floats]]:
        others = [machine.other_cores for _, machine in self.past]
        if not any(others):
            return [cpu(instance) for instance in self.instances]
        taken = Integral([at for at, _ in self.past], others, FOREVER)
        return [*(cpu(instance) for instance in self.instances), taken]

    @cached_property
    def waiting(self) -> Integral | None:
        """Threads that want to run and wait for a processor, over time; None where none ever did."""
        return waiting(self.instances)

    def taken(self) -> Sequence[Callable[[Floats], Floats]]:
        """Bytes of the root disk that images and pods take: of each over time."""
        images = [
            (
                since,
                float(
                    sum(image.get("sizeBytes", 0) for image in obj["status"].get("images") or ())
                ),
            )
            for since, _, obj in self._line.spans(FOREVER)
        ]
        found: list[Callable[[Floats], Floats]] = []
        if images:
            found.append(Steps([since for since, _ in images], [size for _, size in images]))
        own = {instance.ref: end_of(instance) for instance in self.instances}
        pods = {one.ref.pod_uid: self._pods.get(one.ref.pod_uid) for one in self.instances}
        for owner, known in self._held.items():
            if isinstance(owner, str):
                pod = pods.get(owner.partition("/")[0])
                end = None if pod is None else pod.until
            else:
                end = own.get(owner)
            if end is not None:
                found.append(Until(steps_of(known, lambda part: part.size_bytes), end))
        return found

    def per_request(self, amount: float) -> Callable[[Floats], Floats]:
        """So much for each request that a process of the node served."""

        def rate(segment: Segment) -> float:
            return sum(flow.rate for flow in segment.flows) * amount

        flows = [
            Integral(
                [segment.start for segment in instance.served],
                [rate(segment) for segment in instance.served],
                end_of(instance),
            )
            for instance in self.instances
        ]

        def of(seconds: Floats) -> Floats:
            found: Floats = np.floor(sum((flow(seconds) for flow in flows), 0.0 * seconds) + 1e-6)
            return found

        return of

    def connections(self, seconds: Floats) -> Floats:
        """Entries of the connection table."""
        total = self.was(lambda machine: float(machine.other_connections))(seconds)
        for instance in self.instances:
            there = (seconds >= instance.process.started_at) & (seconds < end_of(instance))
            total = total + np.where(there, in_flight(instance)(seconds) + 2.0, 0.0)
        found: Floats = np.floor(total + _SHORT * (1 + drift(self.begin, seconds, 20.0)))
        return found


def _cpu(node: _Node) -> Said:
    cores = node.cores
    # The scheduler of the kernel is not fair to its processors.
    weights = [1 + _UNFAIR * level(place("core", node.name, core)) for core in range(cores)]
    for core, weight in enumerate(weights):
        part = weight / sum(weights)
        for mode, share in _MODES:
            yield (("cpu", str(core)), ("mode", mode)), Part(node.busy, share * part)
        for mode in _IDLE_MODES:
            value = Rest(node.busy, part) if mode == "idle" else 0.0
            yield (("cpu", str(core)), ("mode", mode)), value


def _load(window_s: float) -> Callable[[_Node], Said]:
    def said(node: _Node) -> Said:
        def of(seconds: Floats) -> Floats:
            before = np.maximum(seconds - window_s, 0.0)
            used = node.busy(seconds) - node.busy(before)
            if node.waiting is not None:
                used = used + node.waiting(seconds) - node.waiting(before)
            # What wants to run is now more, now less; long averages hardly feel it.
            queued = _QUEUED * (1 + drift(begin, seconds, window_s)) * 60 / window_s
            found: Floats = np.round(used / np.maximum(seconds - before, 1.0) + queued, 2)
            return found

        begin = place("load", node.name)
        yield (), of

    return said


def _machine(of: Callable[[Machine], float]) -> Callable[[_Node], Said]:
    def said(node: _Node) -> Said:
        yield (), node.was(of)

    return said


def _memory(of: Of) -> Callable[[_Node], Said]:
    """From what processes leave, and the part of it that the kernel keeps files in."""
    return _one(lambda node: node.memory(of))


def _requests(amount: float) -> Callable[[_Node], Said]:
    def said(node: _Node) -> Said:
        yield (("device", "eth0"),), node.per_request(amount)

    return said


def _one(of: Callable[[_Node], Value]) -> Callable[[_Node], Said]:
    def said(node: _Node) -> Said:
        yield (), of(node)

    return said


def _uname(node: _Node) -> Said:
    labels = (
        ("domainname", "(none)"),
        ("machine", "x86_64"),
        ("nodename", node.name),
        ("release", machines.KERNEL),
        ("sysname", "Linux"),
        ("version", machines.KERNEL_BUILD),
    )
    yield labels, 1.0


def _booted(node: _Node) -> Value:
    """A machine had booted when its kubelet came."""
    return float(node.epoch - _BOOT_S - int(_BOOT_S * abs(level(node.begin))))


def _offset(node: _Node) -> Value:
    """A clock that is looked after trembles around the right time."""
    offset = node.was(lambda machine: machine.clock_offset_s)

    def of(seconds: Floats) -> Floats:
        found: Floats = np.round(offset(seconds) + _TREMBLES_S * drift(node.begin, seconds, 64), 9)
        return found

    return of


def _clock(node: _Node) -> Value:
    offset, epoch = node.was(lambda machine: machine.clock_offset_s), node.epoch
    return lambda seconds: np.round(seconds + epoch + offset(seconds), 3)


def _counter(
    name: str, text: str, of: Callable[[_Node], Said]
) -> tuple[Family, Callable[[_Node], Said]]:
    return Family(name, "counter", text), of


def _gauge(
    name: str, text: str, of: Callable[[_Node], Said]
) -> tuple[Family, Callable[[_Node], Said]]:
    return Family(name, "gauge", text), of


def _disks(of: Callable[[Disk], float]) -> Callable[[_Node], Said]:
    """A property of each disk."""

    def said(node: _Node) -> Said:
        for number, disk in enumerate(_of_last(node)):
            yield _mounted(number, disk), node.was(partial(_of_disk, of, number))

    return said


def _free(node: _Node) -> Said:
    """On the root disk, what images and pods take is taken, too."""
    for number, disk in enumerate(_of_last(node)):
        empty = node.was(partial(_of_disk, _unused, number))
        yield _mounted(number, disk), _Room(empty, node.taken()) if number == 0 else empty


class _Room:
    def __init__(self, empty: Steps, taken: Sequence[Callable[[Floats], Floats]]) -> None:
        self._empty, self._taken = empty, taken

    def __call__(self, seconds: Floats) -> Floats:
        free = self._empty(seconds)
        for part in self._taken:
            free = free - part(seconds)
        return np.maximum(free, 0.0)


def _unused(disk: Disk) -> float:
    return float(max(disk.size_bytes - disk.other_bytes, 0))


def _of_last(node: _Node) -> Sequence[Disk]:
    return node.past[-1][1].disks if node.past else ()


def _of_disk(of: Callable[[Disk], float], number: int, machine: Machine) -> float:
    return of(machine.disks[min(number, len(machine.disks) - 1)])


def _mounted(number: int, disk: Disk) -> Pairs:
    """Device, kind and mount point of a disk."""
    device = f"/dev/vd{chr(ord('a') + number)}1"
    mountpoint = "/" if number == 0 else f"/mnt/{disk.name}"
    return (("device", device), ("fstype", "ext4"), ("mountpoint", mountpoint))


_MEASURES: Mapping[str, tuple[Family, Callable[[_Node], Said]]] = MappingProxyType(
    {
        family.name: (family, of)
        for family, of in (
            _counter("node_cpu_seconds_total", "Seconds the CPUs spent in each mode.", _cpu),
            _gauge("node_load1", "1m load average.", _load(60)),
            _gauge("node_load5", "5m load average.", _load(300)),
            _gauge("node_load15", "15m load average.", _load(900)),
            _gauge("node_memory_MemTotal_bytes", "Memory information field MemTotal_bytes.", _machine(lambda machine: machine.memory_kib * _KIB)),
            _gauge("node_memory_MemAvailable_bytes", "Memory information field MemAvailable_bytes.", _memory(lambda left, _: left)),
            _gauge("node_memory_MemFree_bytes", "Memory information field MemFree_bytes.", _memory(lambda left, kept: left * (1 - kept))),
            _gauge("node_memory_Cached_bytes", "Memory information field Cached_bytes.", _memory(lambda left, kept: left * (kept - _BUFFERED_SHARE))),
            _gauge("node_memory_Buffers_bytes", "Memory information field Buffers_bytes.", _memory(lambda left, _: left * _BUFFERED_SHARE)),
            _gauge("node_filesystem_size_bytes", "Filesystem size in bytes.", _disks(lambda disk: float(disk.size_bytes))),
            _gauge("node_filesystem_free_bytes", "Filesystem free space in bytes.", _free),
            _gauge("node_filesystem_avail_bytes", "Filesystem space available to non-root users in bytes.", _free),
            _gauge("node_filesystem_readonly", "Filesystem read-only status.", _disks(lambda disk: float(disk.read_only))),
            _counter("node_network_receive_bytes_total", "Network device statistic receive_bytes.", _requests(_IN_BYTES)),
            _counter("node_network_transmit_bytes_total", "Network device statistic transmit_bytes.", _requests(_OUT_BYTES)),
            _gauge("node_nf_conntrack_entries", "Number of currently allocated flow entries for connection tracking.", _one(lambda node: node.connections)),
            _gauge("node_nf_conntrack_entries_limit", "Maximum size of connection tracking table.", _one(lambda node: node.was(lambda machine: float(machine.connection_limit)))),
            (Family("node_vmstat_oom_kill", "unknown", "/proc/vmstat information field oom_kill."), _one(lambda node: kills(node.instances, node.past))),
            _gauge("node_boot_time_seconds", "Node boot time, in unixtime.", _one(_booted)),
            _gauge("node_time_seconds", "System time in seconds since epoch (1970).", _one(_clock)),
            _gauge("node_timex_offset_seconds", "Time offset in between local system and reference clock.", _one(_offset)),
            _gauge("node_uname_info", "Labeled system information as provided by the uname system call.", _uname),
        )
    }
)  # fmt: skip


class NodeExporter(Exporter):
    """One target for each node."""

    families: Sequence[Family] = tuple(family for family, _ in _MEASURES.values())
    reads = ("nodes", "pods", INSTANCES, INSTANCES_IN_ORDER, MACHINES, DISKS)
    found_by = ("nodes",)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The exporters of the nodes."""
        return node_targets(view, "node-exporter", 9100)

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The series of one node."""
        for labels, value in _MEASURES[sample][1](_Node(view, str(target.subject))):
            yield Row(labels, value)
