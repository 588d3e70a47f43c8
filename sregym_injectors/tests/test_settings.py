"""Settings of programs: what they come to, where they stand, and when they are repaired."""

from __future__ import annotations

import math

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import FaultContext
from sregym_core.model import ProgramSetting
from sregym_injectors.edits import Edits
from sregym_injectors.settings import amount, locate_setting, nearer_to_wrong, right_value
from sregym_injectors.triggers import Peak, bring_about, load_level
from sregym_testing import FullShop, MemoryCluster


def context(shop: FullShop) -> FaultContext:
    front = shop.component("front")
    assert front is not None
    return FaultContext(MemoryCluster(), shop, front, None, UndoJournal())


@pytest.mark.parametrize(
    ("text", "number"),
    [("30", 30.0), ("50ms", 0.05), ("2m", 120.0), ("400MiB", 400 * 2.0**20), ("off", math.inf), ("?", None)],
)  # fmt: skip
def test_what_a_value_comes_to(text: str, number: float | None) -> None:
    assert amount(text) == number


@pytest.mark.parametrize(
    ("live", "still"),
    [("30", True), ("6", True), ("5", False), ("1", False), ("100", True), ("many", False)],
)
def test_a_value_is_repaired_when_it_is_nearer_to_the_right_one(live: str, still: bool) -> None:
    assert nearer_to_wrong(live, "1", "30") is still


def test_where_settings_stand() -> None:
    shop = FullShop()
    front = shop.component("front")
    assert front is not None
    found = {s.name: locate_setting(shop.manifest, front, s) for s in front.settings}
    assert {name: (p.path, p.value) for name, p in found.items() if p} == {
        "CALL_TIMEOUT": ("containers[name=web].env[name=CALL_TIMEOUT]", "1s"),
        "CALL_ATTEMPTS": ("containers[name=web].env[name=CALL_ATTEMPTS]", "1"),
        "MAX_REQUESTS": ("containers[name=web].env[name=MAX_REQUESTS]", "200"),
        "GOGC": ("containers[name=web].env[name=GOGC]", "100"),
        "PATH_RULE": ("containers[name=web].env[name=PATH_RULE]", "^/[a-z]+$"),
        "pool": ("containers[name=web].args[1]", "64"),
    }


def test_a_setting_that_no_manifest_gives_a_value() -> None:
    with pytest.raises(UsageError) as caught:
        right_value(context(FullShop()), ProgramSetting(name="QUEUE", role="queue"))
    assert str(caught.value) == (
        "component 'front': no manifest gives its setting 'QUEUE' a value; give it one in the "
        "environment or the command of its container"
    )


def test_a_peak_needs_a_load_generator_with_a_rate() -> None:
    class Silent(FullShop):
        def components(self):  # type: ignore[no-untyped-def]
            return tuple(part.model_copy(update={"settings": ()}) for part in super().components())

    at = context(Silent())
    with pytest.raises(UsageError) as caught:
        bring_about(at, Edits(at), Peak(), None)
    assert str(caught.value) == (
        "application 'shop': no load generator says which setting is its rate or its users; add it "
        "to `settings` in components.yaml, or leave the peak out"
    )


def test_how_much_users_ask_beside_what_manifests_say() -> None:
    shop, at = FullShop(), context(FullShop())
    assert load_level(at) == 1.0  # nothing is deployed
    shop.deploy(at.cluster)
    assert load_level(at) == 1.0
    visitors = shop.component("visitors")
    assert visitors is not None
    deployed = at.cluster.get(visitors.workload)
    assert deployed is not None
    (container,) = deployed["spec"]["template"]["spec"]["containers"]
    rate = locate_setting(shop.manifest, visitors, visitors.settings[0])
    assert rate is not None
    half = f"{float(rate.value) / 2:g}"
    words = [word.replace(f"--rate={rate.value}", f"--rate={half}") for word in container[rate.key]]
    change = {"containers": [{"name": visitors.container, rate.key: words}]}
    at.cluster.patch(visitors.workload, {"spec": {"template": {"spec": change}}}, "strategic")
    assert load_level(at) == 0.5
