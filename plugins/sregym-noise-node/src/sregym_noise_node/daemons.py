"""Services of nodes that are away for a moment, and clocks that are off."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_injectors.noise import Schedule, SettingNoise
from sregym_kubernetes.node_settings import Daemon, NodeClock

if TYPE_CHECKING:
    from sregym_core.model import NodeSetting
    from sregym_injectors.noise import Occurrence


class KubeletRestart(SettingNoise):
    """Stops a kubelet for less time than it takes until its node counts as not ready."""

    name: ClassVar[str] = "kubelet-restart"
    title: ClassVar[str] = "a kubelet is stopped and starts again before its node is missed"
    family: ClassVar[str] = "node"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(8.0, 25.0))

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """The kubelet alone: pods go on."""
        return [Daemon(node=node, daemon="kubelet", state="stopped")]


class ClockDrift(SettingNoise):
    """Sets a node's clock ahead by what NTP puts right again."""

    name: ClassVar[str] = "clock-drift"
    title: ClassVar[str] = "a node's clock is off until NTP puts it right"
    family: ClassVar[str] = "node"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(120.0, 300.0))

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """Less than certificates and leases tolerate."""
        ahead = occurrence.chance.choice((-1, 1)) * occurrence.by_level(0.15, 0.6, 2.0)
        return [NodeClock(node=node, offset_s=ahead)]
