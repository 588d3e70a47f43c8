"""cAdvisor in the kubelet: what containers use of their node."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.telemetry.metrics.exporters.kubelets import cores_of, kubelet_targets
from sregym_cluster_embedded.telemetry.metrics.exporters.volumes import steps_of
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Pairs,
    Part,
    Row,
    Steps,
    Target,
    Value,
)
from sregym_cluster_embedded.telemetry.metrics.values import Floored, Member, Scaled, Summed
from sregym_cluster_embedded.telemetry.metrics.view import DISKS, INSTANCES, MACHINES
from sregym_cluster_embedded.telemetry.metrics.work import (
    Requests,
    WorkingSet,
    cpu,
    end_of,
    periods,
    requests_of,
)
from sregym_cluster_embedded.userland.space import HeldSpace, space_history
from sregym_cluster_embedded.userland.throttling import shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
    from sregym_cluster_embedded.telemetry.metrics.view import Pod, View

    OfLife: TypeAlias = Callable[[View, ContainerInstance], Value | None]

# How long cAdvisor still tells of a container that is gone: until it looks for new ones again.
_NOTICED_S = 15.0
# Of the memory that a process holds, files that it maps are a small part.
_RSS_SHARE = 0.86
_CACHE_SHARE = 0.12
_USER_SHARE = 0.7
# What a request and its answer weigh on the wire, and in how many packets.
_RECEIVED_BYTES, _SENT_BYTES = 640.0, 1180.0
_PACKET_BYTES = 820.0
_PERIOD_US = 100_000.0
_PAUSE = "registry.k8s.io/pause:3.10"
_DEVICE = "/dev/vda1"
# Labels that series of containers have besides.
_EXTRA: Mapping[str, Pairs] = MappingProxyType(
    {
        "container_cpu_usage_seconds_total": (("cpu", "total"),),
        "container_fs_usage_bytes": (("device", _DEVICE),),
        "container_fs_limit_bytes": (("device", _DEVICE),),
        "container_fs_writes_bytes_total": (("device", _DEVICE),),
    }
)


def _usage(share: float) -> OfLife:
    return lambda _, instance: Scaled(cpu(instance), share)


def _bytes(share: float) -> OfLife:
    return lambda _, instance: Floored(Scaled(WorkingSet(instance), share))


def _peak(_: View, instance: ContainerInstance) -> Value:
    held = WorkingSet(instance)

    def of(seconds: Floats) -> Floats:
        # The highest that was held up to each moment: at a change of load, or just now.
        moments = np.unique(np.append(np.array([s.start for s in instance.served]), seconds))
        highest = np.maximum.accumulate(held.highest(moments)) * (1 + _CACHE_SHARE)
        found: Floats = np.floor(highest[np.searchsorted(moments, seconds)])
        return found

    return of


def _limited(of: Callable[[ContainerInstance], Value]) -> OfLife:
    """Only of containers with a CPU limit."""

    def value(_: View, instance: ContainerInstance) -> Value | None:
        return None if instance.process.config.cpu_limit_cores is None else of(instance)

    return value


def _of_periods(of: Callable[[Integral, Integral, Integral], Value]) -> OfLife:
    """From the periods in which a container ran, those in which it was stopped, and for how long."""

    def value(view: View, instance: ContainerInstance) -> Value | None:
        if instance.process.config.cpu_limit_cores is None:
            return None
        return of(
            *view.remembered(("periods", instance.ref), (instance,), partial(periods, instance))
        )

    return value


def _memory_limit(_: View, instance: ContainerInstance) -> Value:
    return float(instance.process.config.memory_limit_bytes or 0)


def _shares(_: View, instance: ContainerInstance) -> Value:
    return float(shares(instance.process.config))


def _started(view: View, instance: ContainerInstance) -> Value:
    return float(int(view.world.epoch + instance.process.started_at))


def _written(of: Callable[[HeldSpace], float]) -> OfLife:
    """Of what a container wrote beside its volumes."""
    return lambda view, instance: steps_of(space_history(view.world).get(instance.ref, ()), of)


def _disk(view: View, instance: ContainerInstance) -> Value:
    machine = machines.machine(view.world, instance.process.config.node)
    return 0.0 if machine is None else float(machine.root.size_bytes)


def _last_seen(view: View, _: ContainerInstance) -> Value:
    epoch = view.world.epoch
    return lambda seconds: np.floor(seconds + epoch)


_CONTAINERS: Mapping[str, tuple[Family, OfLife]] = MappingProxyType(
    {
        family.name: (family, of)
        for family, of in (
            (Family("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds."), _usage(1.0)),
            (Family("container_cpu_user_seconds_total", "counter", "Cumulative user cpu time consumed in seconds."), _usage(_USER_SHARE)),
            (Family("container_cpu_system_seconds_total", "counter", "Cumulative system cpu time consumed in seconds."), _usage(1 - _USER_SHARE)),
            (Family("container_cpu_cfs_periods_total", "counter", "Number of elapsed enforcement period intervals."), _of_periods(lambda ran, _, __: Floored(ran))),
            (Family("container_cpu_cfs_throttled_periods_total", "counter", "Number of throttled period intervals."), _of_periods(lambda _, stopped, __: Floored(stopped))),
            (Family("container_cpu_cfs_throttled_seconds_total", "counter", "Total time duration the container has been throttled."), _of_periods(lambda _, __, seconds: seconds)),
            (Family("container_spec_cpu_period", "gauge", "CPU period of the container."), lambda _, __: _PERIOD_US),
            (Family("container_spec_cpu_quota", "gauge", "CPU quota of the container."), _limited(lambda instance: (instance.process.config.cpu_limit_cores or 0.0) * _PERIOD_US)),
            (Family("container_spec_cpu_shares", "gauge", "CPU share of the container."), _shares),
            (Family("container_spec_memory_limit_bytes", "gauge", "Memory limit for the container."), _memory_limit),
            (Family("container_memory_working_set_bytes", "gauge", "Current working set in bytes."), lambda _, instance: WorkingSet(instance)),
            (Family("container_memory_usage_bytes", "gauge", "Current memory usage in bytes, including all memory regardless of when it was accessed"), _bytes(1 + _CACHE_SHARE)),
            (Family("container_memory_rss", "gauge", "Size of RSS in bytes."), _bytes(_RSS_SHARE)),
            (Family("container_memory_cache", "gauge", "Number of bytes of page cache memory."), _bytes(_CACHE_SHARE)),
            (Family("container_memory_max_usage_bytes", "gauge", "Maximum memory usage recorded in bytes"), _peak),
            (Family("container_memory_swap", "gauge", "Container swap usage in bytes."), lambda _, __: 0.0),
            (Family("container_fs_usage_bytes", "gauge", "Number of bytes that are consumed by the container on this filesystem."), _written(lambda part: part.size_bytes)),
            (Family("container_fs_limit_bytes", "gauge", "Number of bytes that can be consumed by the container on this filesystem."), _disk),
            (Family("container_fs_writes_bytes_total", "counter", "Cumulative count of bytes written"), _written(lambda part: part.written_bytes)),
            (Family("container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds."), _started),
            (Family("container_last_seen", "gauge", "Last time a container was seen by the exporter"), _last_seen),
        )
    }
)  # fmt: skip
_OOM = Family(
    "container_oom_events_total",
    "counter",
    "Count of out of memory events observed for the container",
)
# Name -> family, bytes or packets for each request.
_NETWORK: Mapping[str, tuple[Family, float]] = MappingProxyType(
    {
        family.name: (family, amount)
        for family, amount in (
            (Family("container_network_receive_bytes_total", "counter", "Cumulative count of bytes received"), _RECEIVED_BYTES),
            (Family("container_network_receive_packets_total", "counter", "Cumulative count of packets received"), _RECEIVED_BYTES / _PACKET_BYTES + 2),
            (Family("container_network_receive_errors_total", "counter", "Cumulative count of errors encountered while receiving"), 0.0),
            (Family("container_network_receive_packets_dropped_total", "counter", "Cumulative count of packets dropped while receiving"), 0.0),
            (Family("container_network_transmit_bytes_total", "counter", "Cumulative count of bytes transmitted"), _SENT_BYTES),
            (Family("container_network_transmit_packets_total", "counter", "Cumulative count of packets transmitted"), _SENT_BYTES / _PACKET_BYTES + 2),
            (Family("container_network_transmit_errors_total", "counter", "Cumulative count of errors encountered while transmitting"), 0.0),
            (Family("container_network_transmit_packets_dropped_total", "counter", "Cumulative count of packets dropped while transmitting"), 0.0),
        )
    }
)  # fmt: skip
_MACHINE = (
    Family("machine_cpu_cores", "gauge", "Number of logical CPU cores."),
    Family("machine_memory_bytes", "gauge", "Amount of memory installed on the machine."),
)
# Sums over the containers of a pod are those of its own cgroup.
_OF_PODS = ("container_cpu_usage_seconds_total", "container_memory_working_set_bytes", "container_memory_usage_bytes", "container_memory_rss")  # fmt: skip


class Cadvisor(Exporter):
    """One target for each node."""

    families: Sequence[Family] = (
        *(family for family, _ in _CONTAINERS.values()),
        _OOM,
        *(family for family, _ in _NETWORK.values()),
        *_MACHINE,
    )
    reads = ("nodes", "pods", INSTANCES, MACHINES, DISKS)
    found_by = ("nodes",)

    def targets(self, view: View) -> Sequence[Target]:
        """The kubelets."""
        return kubelet_targets(view, "/metrics/cadvisor")

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The machine of one node."""
        return _machine(view, str(target.subject), sample)

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """The pods of one node, and its machine."""
        if sample in (_MACHINE[0].name, _MACHINE[1].name):
            yield from super().parts(view, target, sample)
            return
        of = (
            _network
            if sample in _NETWORK
            else _out_of_memory
            if sample == _OOM.name
            else _containers
        )
        node = str(target.subject)
        for uid, members in view.instances_by_pod.items():
            if members[0].process.config.node == node:
                pod = view.pods[uid]
                known = (("namespace", pod.namespace), ("pod", pod.name))
                rows = partial(of, view, pod, members, sample)
                written = view.basis((DISKS, MACHINES)) if sample in _EXTRA else ()
                basis = (pod, members, *written)
                yield Part(uid, basis, known, pod.since, pod.until, rows)


def _containers(
    view: View, pod: Pod, members: Sequence[ContainerInstance], sample: str
) -> Iterator[Row]:
    of = _CONTAINERS[sample][1]
    extra = _EXTRA.get(sample, ())
    values = []
    for instance in members:
        value = of(view, instance)
        if value is not None:
            labels = (*container_labels(view, pod, instance), *extra)
            values.append(Row(labels, value, instance.process.started_at, end_of(instance)))
    yield from values
    if sample in _OF_PODS and values:
        yield _sum_of(pod, members, values, sample)


def _sum_of(
    pod: Pod, members: Sequence[ContainerInstance], rows: Sequence[Row], sample: str
) -> Row:
    """The pod's own cgroup: it stays, and counters go on, while containers come and go."""
    counts = sample.endswith("_total")

    several = [Member(row.value, row.since, row.until) for row in rows if callable(row.value)]
    extra = (("cpu", "total"),) if counts else ()
    labels = (("namespace", pod.namespace), ("pod", pod.name), ("id", _slice(pod)), *extra)
    return Row(labels, Summed(several, stays=counts), *_sandbox(pod, members))


def container_labels(view: View, pod: Pod, instance: ContainerInstance) -> Pairs:
    """The labels of a container, as the kubelet puts them on."""
    ref = instance.ref
    identity, image = view.container_ids(pod).get(
        (ref.name, ref.attempt), ("", instance.process.config.image)
    )
    scope = f"{_slice(pod)}/cri-containerd-{identity}.scope" if identity else _slice(pod)
    return (
        ("namespace", pod.namespace),
        ("pod", pod.name),
        ("container", ref.name),
        ("image", image),
        ("name", identity),
        ("id", scope),
    )


def _slice(pod: Pod) -> str:
    """The control group of a pod."""
    quality = str(pod.last.get("status", {}).get("qosClass", "BestEffort")).lower()
    middle = "" if quality == "guaranteed" else f"kubepods-{quality}.slice/"
    stem = "kubepods" if quality == "guaranteed" else f"kubepods-{quality}"
    return f"/kubepods.slice/{middle}{stem}-pod{pod.uid.replace('-', '_')}.slice"


def _network(_: View, pod: Pod, members: Sequence[ContainerInstance], sample: str) -> Iterator[Row]:
    """The interface of a pod; it lives as long as the pod's sandbox."""
    if pod.last["spec"].get("hostNetwork"):
        return
    amount = _NETWORK[sample][1]
    flows = [requests_of(instance) for instance in members] if amount else []
    labels = (
        ("namespace", pod.namespace),
        ("pod", pod.name),
        ("interface", "eth0"),
        ("image", _PAUSE),
        ("id", _slice(pod)),
    )
    yield Row(labels, _Sum(flows, amount), *_sandbox(pod, members))


class _Sum:
    """The whole part of so much for each request of several processes."""

    def __init__(self, parts: Sequence[Requests], amount: float) -> None:
        self._parts, self._amount = parts, amount

    def __call__(self, seconds: Floats) -> Floats:
        total = np.zeros(len(seconds))
        for part in self._parts:
            total += part(seconds)
        return np.floor(total * self._amount + 1e-6)


def _sandbox(pod: Pod, members: Sequence[ContainerInstance]) -> tuple[float, float]:
    """From when to when a pod has a sandbox: from its first container to its own end."""
    return min(instance.process.started_at for instance in members), pod.until


def _out_of_memory(
    view: View, pod: Pod, members: Sequence[ContainerInstance], _: str
) -> Iterator[Row]:
    """Each container has a counter of its own, which the next one does not go on with."""
    for instance in members:
        labels, ended = container_labels(view, pod, instance), end_of(instance)
        if instance.process.out_of_memory:
            value: Value = Steps([instance.process.started_at, ended], [0.0, 1.0])
            yield Row(labels, value, instance.process.started_at, ended + _NOTICED_S)
        else:
            yield Row(labels, 0.0, instance.process.started_at, ended)


def _machine(view: View, node: str, sample: str) -> Iterator[Row]:
    machine = machines.machine(view.world, node)
    if sample == "machine_cpu_cores":
        yield Row((), cores_of(view, node))
    elif machine is not None:
        yield Row((), float(machine.memory_kib * 1024))
