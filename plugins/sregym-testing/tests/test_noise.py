"""The noise contract accepts a good source and finds each kind of bad one."""

from __future__ import annotations

import random

import pytest
from sregym_core.interfaces import Noise, NoiseContext
from sregym_testing import NoiseCase, NoiseContract, Shop


class Good(Noise):
    """Cordons off a part for a moment: scales it to two replicas and back."""

    name = "surge"

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        chance = random.Random(context.seed)
        at = 0.0
        while at <= elapsed_s:
            at += chance.uniform(60.0, 120.0)
        return at

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        for part in self.victims(context):
            self.note(context, part.workload)
            context.cluster.patch(part.workload, {"spec": {"replicas": 2}}, "merge")
        return "a surge of replicas"

    def note(self, context: NoiseContext, ref) -> None:
        if context.journal is not None:
            context.journal.restore(ref, context.cluster.get(ref))

    def settle(self, context: NoiseContext) -> None:
        for part in self.victims(context):
            context.cluster.patch(part.workload, {"spec": {"replicas": 1}}, "merge")

    def victims(self, context: NoiseContext):
        return [
            p for p in context.application.components() if p.name not in context.excluded_components
        ]


class RollsDice(Good):
    dice = random.Random(1)

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return elapsed_s + self.dice.uniform(60.0, 120.0)


class IgnoresTheSeed(Good):
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return elapsed_s + 60.0


class StandsStill(Good):
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return 60.0


class NeverHeals(Good):
    def settle(self, context: NoiseContext) -> None:
        pass


class SettlesTooMuch(Good):
    def settle(self, context: NoiseContext) -> None:
        for part in self.victims(context):
            context.cluster.delete(part.workload)


class NotesNothing(Good):
    def note(self, context: NoiseContext, ref) -> None:
        pass


class SparesNobody(Good):
    def victims(self, context: NoiseContext):
        return context.application.components()


class TellsWhatItIs(Good):
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        metadata = {"name": f"chaos-monkey-{elapsed_s:.0f}", "namespace": "shop"}
        context.cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        return "a ConfigMap"


BAD: dict[str, type[Noise]] = {
    "test_schedule_follows_from_the_seed": RollsDice,
    "test_seeds_differ": IgnoresTheSeed,
    "test_schedule_moves_on": StandsStill,
    "test_disturbs_and_heals": NeverHeals,
    "test_what_it_did_is_undone_from_the_journal": NotesNothing,
    "test_settling_is_harmless": SettlesTooMuch,
    "test_spares_the_targets_of_faults": SparesNobody,
    "test_nothing_in_the_world_says_that_it_is_noise": TellsWhatItIs,
}


class TestGoodNoise(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(Good(), Shop(), excluded_component="cart")


@pytest.mark.parametrize("check", BAD)
def test_bad_noise_is_found(check, run_check, memory) -> None:
    case = NoiseCase(BAD[check](), Shop(), excluded_component="cart")
    with pytest.raises(AssertionError):
        run_check(NoiseContract, check, case=case, provision=memory, level=1)


def test_every_check_has_a_bad_source(checks_of) -> None:
    assert set(BAD) == checks_of(NoiseContract)
