"""Noise happens when its schedule says, until it is stopped."""

from __future__ import annotations

from typing import ClassVar

from sregym_core.conductor.noise import NoisePump
from sregym_core.conductor.timeline import Timeline
from sregym_core.interfaces import Noise, NoiseContext
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings
from sregym_core.testing import MemoryCluster, Shop


class Hiccup(Noise):
    """Every ten seconds; notes what it was asked for."""

    name: ClassVar[str] = "hiccup"

    def __init__(self) -> None:
        super().__init__()
        self.settled = 0

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return elapsed_s + 10.0 if elapsed_s < 30.0 else None

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        return f"hiccup of {elapsed_s:g} s, sparing {', '.join(context.spared)}"

    def settle(self, context: NoiseContext) -> None:
        self.settled += 1


def test_noise_follows_its_schedule_until_it_is_stopped() -> None:
    cluster, hiccup = MemoryCluster(), Hiccup()
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    pump = NoisePump([hiccup], cluster, Shop(), ("cart",), 1, timeline)

    def heard_after(seconds: float) -> list[object]:
        already = len(timeline.entries)
        cluster.clock.advance(seconds)
        pump.due()
        return [entry.fields["what"] for entry in timeline.entries[already:]]

    assert heard_after(9.5) == []
    assert heard_after(0.5) == ["hiccup of 10 s, sparing cart"]
    assert heard_after(0.0) == []
    assert heard_after(19.0) == ["hiccup of 20 s, sparing cart"]
    pump.stop()
    assert heard_after(100.0) == []
    assert hiccup.settled == 1


def test_a_schedule_ends() -> None:
    cluster = MemoryCluster()
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    pump = NoisePump([Hiccup()], cluster, Shop(), (), 1, timeline)
    cluster.clock.advance(1_000.0)
    pump.due()
    assert [entry.event for entry in timeline.entries] == ["NoiseMade"] * 3
