"""Which sources a mixture of noise has, and how much of each."""

from __future__ import annotations

from typing import ClassVar

from sregym_core.interfaces import Noise, NoiseContext, NoiseRequest
from sregym_injectors.noise.mixture import levels_of, mixture
from sregym_injectors.noise.pump import NoisePump
from sregym_testing import MemoryCluster, Shop

FAMILIES = {"churn": ["a1", "a2", "a3"], "logs": ["b1"], "network": ["c1", "c2"]}


class Hum(Noise):
    """Every minute."""

    name: ClassVar[str] = "hum"
    family: ClassVar[str] = "logs"

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return elapsed_s + 60.0

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        return f"level {context.level}"

    def settle(self, context: NoiseContext) -> None:
        pass


def requested(doses: dict[str, int], level: int, names: list[str]) -> NoiseRequest:
    context = NoiseContext(MemoryCluster(), Shop(), (), 1)
    return NoiseRequest(
        doses, level, names, lambda _: Hum, lambda _: Hum(), context, [].append, str
    )


def test_a_mixture_has_some_of_each_family_and_more_with_each_level() -> None:
    for seed in range(20):
        small, all_of_them = mixture(FAMILIES, 1, seed), mixture(FAMILIES, 3, seed)
        assert len(small) == 4
        assert {name[0] for name in small} == {"a", "b", "c"}
        assert sorted(all_of_them) == ["a1", "a2", "a3", "b1", "c1", "c2"]
        assert mixture(FAMILIES, 1, seed) == small
    assert len({tuple(mixture(FAMILIES, 1, seed)) for seed in range(20)}) > 5


def test_what_is_named_counts_beside_the_mixture() -> None:
    assert levels_of(requested({"b": 2, "a": 1, "c": 0}, 3, [])) == {"a": 1, "b": 2}
    names = ["a", "b", "c", "hum"]
    assert levels_of(requested({"b": 2, "c": 0}, 3, names)) == {"a": 3, "b": 2, "hum": 3}


def test_sources_are_made_with_their_levels() -> None:
    assert NoisePump.of(requested({}, 2, ["hum"])).levels == {"hum": 2}
