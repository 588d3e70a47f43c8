"""Disks that are slow or refuse now and then, as worn ones do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_injectors.noise import Disturbance, Schedule, SettingNoise, ready_services
from sregym_kubernetes.node_settings import DiskDelay, SystemCall

if TYPE_CHECKING:
    from sregym_core.model import NodeSetting
    from sregym_injectors.noise import Occurrence


class IoDelay(SettingNoise):
    """Makes each access to a node's disk slower."""

    name: ClassVar[str] = "io-delay"
    title: ClassVar[str] = "each access to a node's disk takes longer"
    family: ClassVar[str] = "node"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(60.0, 180.0))

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """3, 10 or 100 ms."""
        return [DiskDelay(node=node, delay_ms=occurrence.by_level(3.0, 10.0, 100.0))]


class IoErrors(Disturbance):
    """Lets a part of a service's reads of files fail; stores are left alone."""

    name: ClassVar[str] = "io-errors"
    title: ClassVar[str] = "a part of a service's reads of files fails"
    family: ClassVar[str] = "node"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(45.0, 120.0))

    def begin(self, occurrence: Occurrence) -> str:
        """2, 5 or 10 % of the calls."""
        services = ready_services(occurrence.context)
        if not services:
            return ""
        part = occurrence.chance.choice(services).component
        occurrence.note(part.name)
        return occurrence.set(
            SystemCall(
                namespace=part.namespace,
                labels=dict(part.pod_labels),
                call="open",
                error="EIO",
                share=occurrence.by_level(0.02, 0.05, 0.1),
            )
        )
