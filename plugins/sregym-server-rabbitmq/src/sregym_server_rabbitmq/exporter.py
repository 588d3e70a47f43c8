"""The Prometheus plugin of RabbitMQ brokers: the broker, and each queue with what waits in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sregym_cluster_embedded.sdk.exporters import (
    INSTANCES,
    MESSAGES,
    QUEUES,
    ConsumedRecords,
    Exporter,
    Family,
    Lag,
    Offset,
    Row,
    Scraped,
    Steps,
    WorkingSet,
    container_targets,
    end_of,
    queue_segments,
    starts,
)

from sregym_server_rabbitmq.boot import ERLANG, METRICS, node_of
from sregym_server_rabbitmq.data import load
from sregym_server_rabbitmq.program import RabbitmqProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_cluster_embedded.sdk.exporters import (
        ContainerInstance,
        Floats,
        QueueSegment,
        Target,
        Value,
        View,
    )

_BUILD = Family("rabbitmq_build_info", "gauge", "RabbitMQ & Erlang/OTP version info")
_IDENTITY = Family("rabbitmq_identity_info", "gauge", "RabbitMQ node & cluster identity info")
_RESIDENT = Family("rabbitmq_process_resident_memory_bytes", "gauge", "Memory used in bytes")
_LIMIT = Family("rabbitmq_resident_memory_limit_bytes", "gauge", "Memory high watermark in bytes")
_ALARM = Family(
    "rabbitmq_alarms_memory_used_watermark",
    "gauge",
    "is 1 if VM memory watermark alarm is in effect",
)
_COUNT = Family("rabbitmq_queues", "gauge", "Queues available")
_READY = Family(
    "rabbitmq_queue_messages_ready", "gauge", "Messages ready to be delivered to consumers"
)
_UNACKED = Family(
    "rabbitmq_queue_messages_unacked",
    "gauge",
    "Messages delivered to consumers but not yet acknowledged",
)
_ALL = Family(
    "rabbitmq_queue_messages",
    "gauge",
    "Sum of ready and unacknowledged messages - total queue depth",
)
_CONSUMERS = Family("rabbitmq_queue_consumers", "gauge", "Consumers on a queue")
_PUBLISHED = Family(
    "rabbitmq_queue_messages_published_total",
    "counter",
    "Total number of messages published to queues",
)
_DELIVERED = Family(
    "rabbitmq_queue_messages_acked_total",
    "counter",
    "Total number of messages acknowledged on a queue",
)
_MOST_OF_MEMORY = 0.4
_NO_LIMIT_BYTES = float(8 << 30)


class RabbitmqPlugin(Exporter):
    """One target for each broker."""

    title = "Message queues: RabbitMQ"
    about = (
        "The plugin `rabbitmq_prometheus` of each broker; the job is the name of the workload, "
        "with `namespace` and `pod`; `queue` and `vhost`."
    )
    families: Sequence[Family] = (
        _BUILD, _IDENTITY, _RESIDENT, _LIMIT, _ALARM, _COUNT, _READY, _UNACKED, _ALL, _CONSUMERS,
        _PUBLISHED, _DELIVERED,
    )  # fmt: skip
    reads = ("pods", INSTANCES, MESSAGES)
    found_by = ("pods", INSTANCES)

    def targets(self, view: View) -> Sequence[Target]:
        """The brokers."""
        return container_targets(view, self, _is_one, lambda _: METRICS)

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """What one broker tells, instance by instance; queues outlive it."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        for instance in scraped.instances:
            served, until = instance.process.served_at, end_of(instance)
            program = instance.process.behaviour
            if served is None or not isinstance(program, RabbitmqProgram):
                continue
            if sample in _OF_BROKER:
                labels, value = _OF_BROKER[sample](view, instance, program)
                yield Row(labels, value, served, until)
                continue
            for row in _queues(view, instance, sample):
                yield row._replace(since=max(row.since, served), until=until)


def _is_one(instance: ContainerInstance) -> bool:
    return isinstance(instance.process.behaviour, RabbitmqProgram)


def _build(
    _: View, __: ContainerInstance, program: RabbitmqProgram
) -> tuple[tuple[tuple[str, str], ...], Value]:
    return (
        ("erlang_version", ERLANG),
        ("product_name", "RabbitMQ"),
        ("product_version", program.version),
        ("rabbitmq_version", program.version),
    ), 1.0


def _identity(
    _: View, instance: ContainerInstance, __: RabbitmqProgram
) -> tuple[tuple[tuple[str, str], ...], Value]:
    node = node_of(instance.process)
    return (("rabbitmq_cluster", node), ("rabbitmq_node", node)), 1.0


def _watermark(instance: ContainerInstance) -> float:
    return (instance.process.config.memory_limit_bytes or _NO_LIMIT_BYTES) * _MOST_OF_MEMORY


def _alarm(instance: ContainerInstance) -> Value:
    held, limit = WorkingSet(instance), _watermark(instance)

    def of(seconds: Floats) -> Floats:
        found: Floats = (held(seconds) > limit).astype(np.float64)
        return found

    return of


_OF_BROKER: Mapping[str, Callable[[View, ContainerInstance, RabbitmqProgram], tuple[tuple[tuple[str, str], ...], Value]]] = {
    _BUILD.name: _build,
    _IDENTITY.name: _identity,
    _RESIDENT.name: lambda _, instance, __: ((), WorkingSet(instance)),
    _LIMIT.name: lambda _, instance, __: ((), _watermark(instance)),
    _ALARM.name: lambda _, instance, __: ((), _alarm(instance)),
    _COUNT.name: lambda view, instance, _: ((), float(len(_known(view, instance)))),
}  # fmt: skip


def _known(view: View, instance: ContainerInstance) -> Mapping[str, tuple[str, bool]]:
    return load(view.world, instance.process.settings.get("rabbitmq.storage", "")).queues


def _queues(view: View, instance: ContainerInstance, sample: str) -> Iterator[Row]:
    storage = instance.process.settings.get("rabbitmq.storage", "")
    flowing = {key[1]: key for key in view.world.table(QUEUES) if key[0] == storage}
    for name, (vhost, _) in sorted(_known(view, instance).items()):
        labels = (("queue", name), ("vhost", vhost))
        known = queue_segments(view.world, flowing[name]) if name in flowing else ()
        yield Row(labels, _value(known, sample) if known else 0.0)


def _value(known: Sequence[QueueSegment], sample: str) -> Value:
    if sample == _PUBLISHED.name:
        return Offset(known, 0)
    if sample == _DELIVERED.name:
        return ConsumedRecords(known, 0)
    members = Steps([-np.inf, *starts(known)], [0.0, *(float(one.members) for one in known)])
    if sample == _CONSUMERS.name:
        return members
    waiting = Lag(known, 0)
    if sample == _ALL.name:
        return waiting

    def of(seconds: Floats) -> Floats:
        total = waiting(seconds)
        worked_on: Floats = np.minimum(total, members(seconds))
        return worked_on if sample == _UNACKED.name else total - worked_on

    return of


EXPORTER = RabbitmqPlugin()
