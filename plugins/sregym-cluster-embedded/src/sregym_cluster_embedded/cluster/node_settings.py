"""How each kind of node setting is read from a world and written into it.

Amounts that are taken (of disks, memory, tables) count from how the machine came.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_core.errors import NodeError
from sregym_kubernetes.node_settings import (
    CpuUse,
    Daemon,
    DiskBadBlocks,
    DiskCorruption,
    DiskDelay,
    DiskErrors,
    DiskFill,
    DiskReadOnly,
    DiskUse,
    KernelTable,
    KubeletField,
    LinkState,
    MemoryUse,
    NetworkUse,
    NodeClock,
    Power,
    ProcessLimit,
    ProcessStop,
    RegistryAccess,
    Sysctl,
    SystemCall,
)

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.cluster import kubelet_fields
from sregym_cluster_embedded.cluster import node_rules as rules
from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.kubelet.broken_parts import network_problem
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.node import kubelets, power
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.life import stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_core.model import NodeSetting

    from sregym_cluster_embedded.machines import Disk, Machine
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_KIB = 1024
_TABLES = {
    "conntrack": "other_connections",
    "processes": "other_processes",
    "ports": "other_ports",
}


class Kind(NamedTuple):
    """How a kind of setting is read and written."""

    read: Callable[[World, Any], Any]
    write: Callable[[World, Any], None]


def _machine(world: World, node: str) -> Machine:
    found = machines.machine(world, node)
    assert found is not None  # the node was looked up before
    return found


def _made(world: World, node: str) -> Machine:
    return machines.initial_machine(world, node) or _machine(world, node)


def _disk(machine: Machine, name: str) -> Disk:
    for disk in machine.disks:
        if disk.name == name:
            return disk
    known = ", ".join(disk.name for disk in machine.disks)
    msg = f"node {machine.name!r} has no disk {name!r}; it has: {known}"
    raise NodeError(msg)


def _set_disk(world: World, node: str, name: str, **fields: Any) -> None:
    machine = _machine(world, node)
    changed = _disk(machine, name)._replace(**fields)
    disks = tuple(changed if disk.name == name else disk for disk in machine.disks)
    machines.change(world, node, disks=disks)


def _read_power(world: World, setting: Power) -> Power:
    return Power(node=setting.node, on=_machine(world, setting.node).powered)


def _write_power(world: World, setting: Power) -> None:
    (power.power_on if setting.on else power.power_off)(world, setting.node)


def _read_daemon(world: World, setting: Daemon) -> Daemon:
    node, daemon = setting.node, setting.daemon
    how, delay_s = unresponsive.absent(world, node), 0.0
    state = "running"
    if daemon == "kubelet":
        state = how if how in (unresponsive.FROZEN, unresponsive.STOPPED) else "running"
    elif daemon == "container-runtime":
        state = "stopped" if how == unresponsive.NO_RUNTIME else "running"
    elif daemon == "network-plugin":
        state = "stopped" if network_problem(world, node) else "running"
    else:
        state = "running" if proxies.works(world, node) else "stopped"
        delay_s = proxies.delay_of(world, node)
    return setting.model_copy(update={"state": state, "delay_s": delay_s})


def _write_daemon(world: World, setting: Daemon) -> None:
    node, running = setting.node, setting.state == "running"
    if setting.state == "frozen" and setting.daemon != "kubelet":
        msg = f"on node {node!r} the {setting.daemon} cannot be frozen, only stopped"
        raise NodeError(msg)
    if setting.daemon == "kubelet":
        kubelets.freeze_kubelet(world, node, frozen=False)
        kubelets.start_kubelet(world, node)
        if setting.state == "frozen":
            kubelets.freeze_kubelet(world, node, frozen=True)
        elif not running:
            kubelets.stop_kubelet(world, node)
    elif setting.daemon == "container-runtime":
        kubelets.set_container_runtime(world, node, running)
    elif setting.daemon == "network-plugin":
        kubelets.set_network_plugin(world, node, running)
    elif not running:
        proxies.stop(world, node)
    else:
        proxies.start(world, node)
        if setting.delay_s:
            proxies.delay(world, node, setting.delay_s)


def _read_clock(world: World, setting: NodeClock) -> NodeClock:
    return NodeClock(node=setting.node, offset_s=_machine(world, setting.node).clock_offset_s)


def _write_clock(world: World, setting: NodeClock) -> None:
    machines.change(world, setting.node, clock_offset_s=setting.offset_s)


def _read_sysctl(world: World, setting: Sysctl) -> Sysctl:
    own = dict(_machine(world, setting.node).sysctls).get(setting.name, "")
    made = dict(_made(world, setting.node).sysctls).get(setting.name, "")
    default = machines.SYSCTLS.get(setting.name)
    if default is None:
        msg = f"the kernel of node {setting.node!r} has no parameter {setting.name!r}"
        raise NodeError(msg)
    value = "" if own in (made, made or default) else own
    return setting.model_copy(update={"value": value})


def _write_sysctl(world: World, setting: Sysctl) -> None:
    made = dict(_made(world, setting.node).sysctls).get(setting.name, "")
    value = setting.value or made
    if value:
        machines.set_sysctl(world, setting.node, setting.name, value)
        return
    kept = _machine(world, setting.node).sysctls
    rest = tuple(entry for entry in kept if entry[0] != setting.name)
    machines.change(world, setting.node, sysctls=rest)


def _read_fill(world: World, setting: DiskFill) -> DiskFill:
    now, made = (
        _disk(machine, setting.disk).other_bytes
        for machine in (_machine(world, setting.node), _made(world, setting.node))
    )
    return setting.model_copy(update={"taken_bytes": max(now - made, 0)})


def _write_fill(world: World, setting: DiskFill) -> None:
    made = _disk(_made(world, setting.node), setting.disk).other_bytes
    _set_disk(world, setting.node, setting.disk, other_bytes=made + setting.taken_bytes)


def _of_disk(field: str, attribute: str) -> Kind:
    """A field of a setting that is an attribute of the disk."""

    def read(world: World, setting: Any) -> Any:
        disk = _disk(_machine(world, setting.node), setting.disk)
        return setting.model_copy(update={field: getattr(disk, attribute)})

    def write(world: World, setting: Any) -> None:
        _set_disk(world, setting.node, setting.disk, **{attribute: getattr(setting, field)})

    return Kind(read, write)


def _read_use(world: World, setting: DiskUse) -> DiskUse:
    disk = _disk(_machine(world, setting.node), setting.disk)
    return setting.model_copy(update={"queued": disk.queued, "displaced": disk.displaced})


def _write_use(world: World, setting: DiskUse) -> None:
    asked = {"queued": setting.queued, "displaced": setting.displaced}
    _set_disk(world, setting.node, setting.disk, **asked)


def _table_attribute(setting: KernelTable) -> str:
    if setting.table not in _TABLES:
        known = ", ".join(_TABLES)
        msg = f"the table {setting.table!r} of kernels is not simulated; there are: {known}"
        raise NodeError(msg)
    return _TABLES[setting.table]


def _read_table(world: World, setting: KernelTable) -> KernelTable:
    attribute = _table_attribute(setting)
    now, made = (
        getattr(machine, attribute)
        for machine in (_machine(world, setting.node), _made(world, setting.node))
    )
    return setting.model_copy(update={"taken": max(now - made, 0)})


def _write_table(world: World, setting: KernelTable) -> None:
    attribute = _table_attribute(setting)
    made = getattr(_made(world, setting.node), attribute)
    machines.change(world, setting.node, **{attribute: made + setting.taken})


def _read_memory(world: World, setting: MemoryUse) -> MemoryUse:
    now, made = _machine(world, setting.node), _made(world, setting.node)
    taken = max(now.other_memory_kib - made.other_memory_kib, 0) * _KIB
    return setting.model_copy(update={"taken_bytes": taken})


def _write_memory(world: World, setting: MemoryUse) -> None:
    made = _made(world, setting.node).other_memory_kib
    taken = setting.taken_bytes // _KIB
    machines.change(world, setting.node, other_memory_kib=made + taken)


def _read_cpu(world: World, setting: CpuUse) -> CpuUse:
    return setting.model_copy(update={"cores": _machine(world, setting.node).other_cores})


def _write_cpu(world: World, setting: CpuUse) -> None:
    node = world.store.get(Key("nodes", "", setting.node))
    cores = float(parse(str(node["status"]["capacity"]["cpu"]))) if node is not None else math.inf
    if setting.cores > cores:
        msg = f"node {setting.node!r} has {cores:g} processors, {setting.cores:g} cannot be busy"
        raise NodeError(msg)
    machines.change(world, setting.node, other_cores=setting.cores)


def _read_network(world: World, setting: NetworkUse) -> NetworkUse:
    return setting.model_copy(update={"mbit": _machine(world, setting.node).other_mbit})


def _write_network(world: World, setting: NetworkUse) -> None:
    machines.change(world, setting.node, other_mbit=setting.mbit)


def _read_limit(world: World, setting: ProcessLimit) -> ProcessLimit:
    if setting.resource != "nofile":
        msg = f"the limit {setting.resource!r} of processes is not simulated; there is: nofile"
        raise NodeError(msg)
    now, made = _machine(world, setting.node).open_files, _made(world, setting.node).open_files
    return setting.model_copy(update={"limit": None if now == made else now})


def _write_limit(world: World, setting: ProcessLimit) -> None:
    made = _made(world, setting.node).open_files
    limit = made if setting.limit is None else setting.limit
    machines.change(world, setting.node, open_files=limit)


def _main_process(world: World, setting: ProcessStop) -> Process | None:
    """The main process of a container that runs on its node."""
    for process in world.service(RUNTIME).running(world):
        ref = process.config.ref
        named = (process.config.node, ref.namespace, ref.pod, ref.name)
        if named == (setting.node, setting.namespace, setting.pod, setting.container):
            return process
    return None


def _read_stop(world: World, setting: ProcessStop) -> ProcessStop:
    process = _main_process(world, setting)
    stopped = process is not None and process.stopped
    return setting.model_copy(update={"stopped": stopped})


def _write_stop(world: World, setting: ProcessStop) -> None:
    process = _main_process(world, setting)
    if process is not None:
        stop(world, process.ref, stopped=setting.stopped)


SETTINGS: Mapping[type[NodeSetting], Kind] = MappingProxyType(
    {
        Power: Kind(_read_power, _write_power),
        Daemon: Kind(_read_daemon, _write_daemon),
        NodeClock: Kind(_read_clock, _write_clock),
        Sysctl: Kind(_read_sysctl, _write_sysctl),
        DiskFill: Kind(_read_fill, _write_fill),
        DiskReadOnly: _of_disk("read_only", "read_only"),
        DiskBadBlocks: _of_disk("blocks", "bad_blocks"),
        DiskCorruption: _of_disk("blocks", "altered_blocks"),
        DiskDelay: _of_disk("delay_ms", "latency_ms"),
        DiskErrors: _of_disk("share", "failing"),
        DiskUse: Kind(_read_use, _write_use),
        KernelTable: Kind(_read_table, _write_table),
        MemoryUse: Kind(_read_memory, _write_memory),
        CpuUse: Kind(_read_cpu, _write_cpu),
        NetworkUse: Kind(_read_network, _write_network),
        ProcessLimit: Kind(_read_limit, _write_limit),
        ProcessStop: Kind(_read_stop, _write_stop),
        KubeletField: Kind(kubelet_fields.read_field, kubelet_fields.write_field),
        LinkState: Kind(rules.read_link, rules.write_link),
        SystemCall: Kind(rules.read_call, rules.write_call),
        RegistryAccess: Kind(rules.read_registry, rules.write_registry),
    }
)


_OF_DISKS = (DiskFill, DiskReadOnly, DiskBadBlocks, DiskCorruption, DiskDelay, DiskErrors, DiskUse)


def all_settings(world: World) -> Iterator[NodeSetting]:
    """One setting, without values, of each thing that may have been set."""
    for machine in machines.machines(world):
        node = machine.name
        yield Power(node=node)
        for daemon in ("kubelet", "container-runtime", "network-plugin", "kube-proxy"):
            yield Daemon.model_validate({"node": node, "daemon": daemon})
        yield NodeClock(node=node)
        yield MemoryUse(node=node)
        yield CpuUse(node=node)
        yield NetworkUse(node=node)
        yield ProcessLimit(node=node)
        yield from kubelet_fields.changed_fields(world, node)
        for name, _ in machine.sysctls:
            yield Sysctl(node=node, name=name)
        for table in _TABLES:
            yield KernelTable.model_validate({"node": node, "table": table})
        for disk in machine.disks:
            for kind in _OF_DISKS:
                yield kind(node=node, disk=disk.name)
    for process in world.service(RUNTIME).running(world):
        if process.stopped:
            ref = process.config.ref
            place = {"namespace": ref.namespace, "pod": ref.pod, "container": ref.name}
            yield ProcessStop(node=process.config.node, **place)
    yield from rules.all_rules(world)
