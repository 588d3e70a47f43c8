"""A part of the network that does not reach another one for a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import node_access
from sregym_core.model import Capability
from sregym_injectors.noise import Disturbance, Schedule, workers
from sregym_kubernetes.node_settings import LinkState, Peer

if TYPE_CHECKING:
    from sregym_injectors.noise import Occurrence


class NetworkPartition(Disturbance):
    """Cuts one way between machines: from a worker to the control plane, or to another worker.

    Shorter than it takes until the node counts as not ready. At levels 1 and 2 workers are cut off
    the control plane alone: heartbeats stop, and users do not notice.
    """

    name: ClassVar[str] = "network-partition"
    title: ClassVar[str] = "one machine does not reach another for some seconds"
    family: ClassVar[str] = "network"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(10.0, 28.0))

    def begin(self, occurrence: Occurrence) -> str:
        """One direction only."""
        context = occurrence.context
        access = node_access(context.cluster, (Capability.LINKS,), "this noise")
        nodes = workers(context)
        masters = [node.name for node in access.nodes() if node.role == "control-plane"]
        if not nodes or not masters:
            return ""
        source = occurrence.chance.choice(nodes)
        others = masters if context.level < 3 else [n for n in nodes if n != source] or masters
        target = occurrence.chance.choice(others)
        occurrence.note(source, target)
        return occurrence.set(
            LinkState(source=Peer(node=source), target=Peer(node=target), blocked="drop")
        )
