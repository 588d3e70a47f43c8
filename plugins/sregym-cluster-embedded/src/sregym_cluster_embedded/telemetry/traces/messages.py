"""Which calls send messages, and who takes them when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.traces.queues import Queue
from sregym_cluster_embedded.traffic.segments import QUEUES
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.traces.queues import Stint, Topic
    from sregym_cluster_embedded.traffic.segments import CallFlow
    from sregym_cluster_embedded.world import World

# Rates of producers and of queues differ by so much when they are written down at other moments.
_SAME = 0.02


class Messages:
    """The message queues of a world.

    Args:
        world: The cluster.
        instances: All instances of containers.
    """

    def __init__(self, world: World, instances: Iterable[ContainerInstance]) -> None:
        brokers = world.service(RUNTIME).brokers
        self._storages: dict[ContainerRef, str] = {
            instance.ref: storage
            for instance in instances
            if (storage := brokers.storage_of(instance.process))
        }
        self._queues: dict[Topic, list[Queue]] = {}
        for (storage, topic, group), known in world.table(QUEUES).items():
            self._queues.setdefault((storage, topic), []).append(Queue(group, known))

    @property
    def any(self) -> bool:
        """Whether anybody can have sent one."""
        return bool(self._storages)

    def topic(self, call: CallFlow) -> Topic | None:
        """Where a call sends messages to; None for all other calls."""
        storage = None if call.callee is None else self._storages.get(call.callee)
        return (storage, call.collection) if storage else None

    def queues(self, topic: Topic) -> list[Queue]:
        """A topic as each of its groups sees it."""
        return self._queues.get(topic, [])

    def with_trace(
        self, topic: Topic, rate: Callable[[float], float]
    ) -> Iterable[tuple[Stint, float]]:
        """Consumers of a topic, and the fraction of records that come with a trace.

        Args:
            topic: The topic.
            rate: How many a second are sent with one, at a virtual second.
        """
        for queue in self.queues(topic):
            for stint in queue.stints():
                at = queue.taken_at(stint.partition, stint.start)
                whole = queue.rate(at)
                share = rate(at) / whole if whole > 0 else 1.0
                if share > 1 - _SAME:
                    share = 1.0
                yield stint, share if share > _SAME else 0.0
