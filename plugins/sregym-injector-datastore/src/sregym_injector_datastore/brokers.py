"""Brokers that run out of heap, and brokers that refuse what they should take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode, ObjectRef
from sregym_injectors.pods import pods_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.workloads import ready_pod
from typing_extensions import override

from sregym_injector_datastore.families import Family, not_of
from sregym_injector_datastore.shells import kafka
from sregym_injector_datastore.store_fault import StoreChange, StoreFault, server_of
from sregym_injector_datastore.store_overrun import Overrun, OverrunParameters, job_of

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_MIB = 2**20
# What a client of Kafka keeps of requests that are not answered, as it is shipped.
_BUFFER_MIB = 32
_HEAP = re.compile(r"-Xmx(\d+)([mMgG])")
_MOST_PRODUCERS = 24


class BrokerOverrun(Overrun):
    """Adds a Job whose producers send large records to a broker until its heap is full."""

    name: ClassVar[str] = "broker-overrun"
    title: ClassVar[str] = "Producers send large records until a broker's heap is full"
    mechanism: ClassVar[str] = "broker-flooded-by-job"
    phrases: ClassVar[tuple[str, ...]] = (
        "job floods the broker", "broker flooded", "producer sends large records", "greedy producer", "leaking producer", "producer leak",
        "broker runs out of heap", "broker out of memory", "Java heap space", "OutOfMemoryError",
        "heap exhaustion of the broker", "oversized messages", "large messages flood the broker",
        "job floods Kafka", "runaway producer", "too many large records",
    )  # fmt: skip
    symptoms: ClassVar[tuple[str, ...]] = (
        "broker restarts",
        "CrashLoopBackOff",
        "records cannot be sent",
    )
    memory: ClassVar[str] = "512Mi"

    class Parameters(OverrunParameters):
        """Parameters.

        Attributes:
            record_mib: Size of a record.
            topic: To which they are sent; it is made, and takes records of twice that size.
        """

        record_mib: int = Field(default=10, ge=1, le=100)
        topic: str = Field(default="orders-export", pattern=r"^[a-zA-Z0-9._-]+$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := _no_broker(component):
            return reason
        heap = _heap_mib(component)
        if not heap:
            return "its environment does not say how large its heap is (-Xmx of KAFKA_HEAP_OPTS)"
        if heap // _BUFFER_MIB > _MOST_PRODUCERS:
            return f"its heap of {heap} MiB holds what {_MOST_PRODUCERS} producers send"
        return "" if component.service else "no Service leads to it, so that no Job reaches it"

    @override
    def writers(self, context: FaultContext) -> int:
        return _heap_mib(context.component) // _BUFFER_MIB + 1

    @override
    def inject(self, context: FaultContext) -> None:
        topic = context.parameters.topic
        forget = kafka("kafka-topics", "--delete", "--if-exists", "--topic", topic)
        context.journal.command(
            context.component.namespace, server_of(context.component), forget, ""
        )
        super().inject(context)

    @override
    def recover(self, context: FaultContext) -> None:
        """A broker that waits to be started again is replaced, so that its topics can be looked at."""
        server, cluster = server_of(context.component), context.cluster
        workload = cluster.get(server)
        if workload is None or ready_pod(cluster, server) is not None:
            return
        cluster.delete(job_of(context))
        for pod in pods_of(cluster, workload):
            cluster.delete(ObjectRef.of({"apiVersion": "v1", "kind": "Pod", **pod}))

    @override
    def describe(self, context: FaultContext) -> str:
        size, broker = context.parameters.record_mib, context.component.name
        return f"fills the heap of {broker} with records of {size} MiB"

    @override
    def script(self, context: FaultContext) -> str:
        component, given = context.component, context.parameters
        service = component.service
        host = component.name if service is None else service.name
        most = 2 * given.record_mib * _MIB
        to = f"{host}:9092"
        make = (
            f"kafka-topics.sh --bootstrap-server {to} --create --if-not-exists --topic {given.topic} "
            f"--config max.message.bytes={most}"
        )
        send = (
            f"kafka-producer-perf-test.sh --topic {given.topic} --num-records 600 "
            f"--record-size {given.record_mib * _MIB} --throughput 20 "
            f"--producer-props bootstrap.servers={to} max.request.size={most}"
        )
        path = 'PATH="$PATH:/opt/kafka/bin:/opt/bitnami/kafka/bin"'
        return f"{path}; while true; do {make} >/dev/null 2>&1; {send}; sleep 2; done"


class BrokerWrong(StoreFault):
    """Lets a broker refuse records that are larger than a limit which none of them keeps."""

    name: ClassVar[str] = "broker-wrong"
    title: ClassVar[str] = "Broker takes no records of the size that its producers send"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = (Family.KAFKA,)
    mechanism = "broker-message-limit-too-small"
    phrases = (
        "message.max.bytes", "max.message.bytes", "maximum message size too small",
        "message size limit", "message too large", "record too large", "RecordTooLargeException",
        "Message Size Too Large", "broker refuses large messages", "broker limit of message size",
        "limit of the broker's message size was lowered",
    )  # fmt: skip
    symptoms = ("records are refused", "producers fail", "orders are not published")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            bytes: The largest batch that the broker takes.
        """

        restart_clients: bool | None = False
        bytes: int = Field(default=64, ge=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        return _no_broker(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        name, size = "message.max.bytes", context.parameters.bytes
        of = ("--entity-type", "brokers", "--entity-default")
        return StoreChange(
            what=f"dynamic default config {name} of the brokers",
            before="not set",
            after=f"{size}",
            breaks=kafka("kafka-configs", *of, "--alter", "--add-config", f"{name}={size}"),
            mends=kafka("kafka-configs", *of, "--alter", "--delete-config", name),
            asks=kafka("kafka-configs", *of, "--describe"),
            # Nothing, or room for usual records.
            healthy=rf"(?s)(?!.*{re.escape(name)}=\d{{1,3}}\b).*",
        )


def _no_broker(component: Component) -> str:
    """Why a component is no broker of Kafka: others serve that port, too."""
    reason = not_of(component, (Family.KAFKA,))
    return reason or ("" if component.kind == "queue" else "it is no Kafka server")


def _heap_mib(component: Component) -> int:
    found = _HEAP.search(component.env.get("KAFKA_HEAP_OPTS", ""))
    if found is None:
        return 0
    return int(found[1]) * (1024 if found[2] in "gG" else 1)
