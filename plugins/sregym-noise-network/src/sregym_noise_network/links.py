"""What packets of one service meet for a while."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_injectors.noise import Disturbance, Schedule, ready_services
from sregym_kubernetes.node_settings import LinkState, Peer

if TYPE_CHECKING:
    from sregym_injectors.noise import Occurrence


class LinkNoise(Disturbance):
    """Changes the way of all packets that the pods of one service send."""

    family: ClassVar[str] = "network"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(45.0, 150.0))

    @abstractmethod
    def packets(self, occurrence: Occurrence) -> dict[str, Any]:
        """Fields of the link's state."""

    def begin(self, occurrence: Occurrence) -> str:
        """Of one ready service."""
        services = ready_services(occurrence.context)
        if not services:
            return ""
        part = occurrence.chance.choice(services).component
        occurrence.note(part.name)
        source = Peer(namespace=part.namespace, labels=dict(part.pod_labels))
        return occurrence.set(LinkState(source=source, **self.packets(occurrence)))


class NetworkDelay(LinkNoise):
    """Each packet comes later."""

    name: ClassVar[str] = "network-delay"
    title: ClassVar[str] = "packets of a service come later"

    def packets(self, occurrence: Occurrence) -> dict[str, Any]:
        """10, 40 or 200 ms, more or less."""
        delay_ms = occurrence.by_level(10.0, 40.0, 200.0)
        return {"delay_ms": delay_ms, "jitter_ms": delay_ms / 4}


class NetworkJitter(LinkNoise):
    """Packets come now sooner, now later."""

    name: ClassVar[str] = "network-jitter"
    title: ClassVar[str] = "packets of a service take now less, now more time"

    def packets(self, occurrence: Occurrence) -> dict[str, Any]:
        """Around a small delay."""
        jitter_ms = occurrence.by_level(5.0, 15.0, 120.0)
        return {"delay_ms": jitter_ms, "jitter_ms": jitter_ms}


class NetworkLoss(LinkNoise):
    """Some packets are lost, and are sent again by TCP."""

    name: ClassVar[str] = "network-loss"
    title: ClassVar[str] = "some packets of a service are lost"

    def packets(self, occurrence: Occurrence) -> dict[str, Any]:
        """0.5, 2 or 25 %."""
        return {"loss": occurrence.by_level(0.005, 0.02, 0.25)}


class NetworkDuplicates(LinkNoise):
    """Some packets are sent twice, on a way with a limit that the copies take their part of."""

    name: ClassVar[str] = "network-duplicates"
    title: ClassVar[str] = "some packets of a service are sent twice, at a limited rate"

    def packets(self, occurrence: Occurrence) -> dict[str, Any]:
        """5, 10 or 30 %."""
        return {
            "duplicated": occurrence.by_level(0.05, 0.1, 0.3),
            "rate_mbit": occurrence.by_level(200.0, 100.0, 20.0),
        }


class NetworkBandwidth(LinkNoise):
    """There is a limit to how much a service sends."""

    name: ClassVar[str] = "network-bandwidth"
    title: ClassVar[str] = "a service sends at a limited rate"

    def packets(self, occurrence: Occurrence) -> dict[str, Any]:
        """Far above, above and at what small services send."""
        return {"rate_mbit": occurrence.by_level(200.0, 50.0, 2.0)}
