"""Noise happens when its schedule says, until it is stopped."""

from __future__ import annotations

from typing import ClassVar

from sregym_core.conductor.timeline import Timeline
from sregym_core.interfaces import Noise, NoiseContext
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings
from sregym_injectors.noise.pump import LEAD_S, NoisePump
from sregym_testing import MemoryCluster, Shop


class Hiccup(Noise):
    """Every ten seconds; notes what it was asked for."""

    name: ClassVar[str] = "hiccup"

    def __init__(self) -> None:
        super().__init__()
        self.settled = 0

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return elapsed_s + 10.0 if elapsed_s < 30.0 else None

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        return f"hiccup of {elapsed_s:g} s, sparing {', '.join(context.excluded_components)}"

    def settle(self, context: NoiseContext) -> None:
        self.settled += 1


def test_noise_follows_its_schedule_until_it_is_stopped() -> None:
    cluster, hiccup = MemoryCluster(), Hiccup()
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    pump = NoisePump([hiccup], NoiseContext(cluster, Shop(), ("cart",), 1), timeline.record)

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


class Keeper(Hiccup):
    """Keeps what it did in the memory it is given."""

    name: ClassVar[str] = "keeper"

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        context.memory.setdefault("did", []).append(elapsed_s)
        context.subjects.append(f"part {elapsed_s:g}")
        return f"level {context.level}, did {context.memory['did']}"


def pump_of(*sources: Noise, **more: object) -> tuple[MemoryCluster, Timeline, NoisePump]:
    cluster = MemoryCluster()
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    context = NoiseContext(cluster, Shop(), (), 1)
    return cluster, timeline, NoisePump(sources, context, timeline.record, **more)


def test_a_world_gets_noisy_before_somebody_looks() -> None:
    cluster, timeline, pump = pump_of(Hiccup())
    began = cluster.clock.now()
    pump.lead()
    assert cluster.clock.now() - began == LEAD_S
    assert [entry.at_s for entry in timeline.entries] == [10.0, 20.0, 30.0]


def test_without_noise_nothing_is_waited_for() -> None:
    cluster, _, pump = pump_of()
    began = cluster.clock.now()
    pump.lead()
    assert cluster.clock.now() == began


def test_time_that_was_left_out_brings_nothing() -> None:
    cluster, timeline, pump = pump_of(Hiccup())
    cluster.clock.advance(1_000_000.0)
    pump.leapt(1_000_000.0)
    pump.due()
    assert timeline.entries == []
    cluster.clock.advance(10.0)
    pump.due()
    assert len(timeline.entries) == 1


def test_sources_remember_by_episode_and_levels_reach_them() -> None:
    cluster, timeline, pump = pump_of(Keeper(), levels={"keeper": 3})
    cluster.clock.advance(10.0)
    pump.due()
    twin = pump.fork(cluster, timeline.record)
    cluster.clock.advance(10.0)
    twin.due()
    pump.due()
    told = [(entry.fields["what"], entry.fields["subjects"]) for entry in timeline.entries]
    second = ("level 3, did [10.0, 20.0]", ("part 20",))
    assert told == [("level 3, did [10.0]", ("part 10",)), second, second]


def test_sources_take_their_turns_by_moment() -> None:
    cluster, timeline, pump = pump_of(Hiccup(), Keeper())
    cluster.clock.advance(25.0)
    pump.due()
    names = [entry.fields["noise"] for entry in timeline.entries]
    assert names == ["hiccup", "keeper", "hiccup", "keeper"]


def test_a_schedule_ends() -> None:
    cluster = MemoryCluster()
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    pump = NoisePump([Hiccup()], NoiseContext(cluster, Shop(), (), 1), timeline.record)
    cluster.clock.advance(1_000.0)
    pump.due()
    assert [entry.event for entry in timeline.entries] == ["NoiseMade"] * 3
