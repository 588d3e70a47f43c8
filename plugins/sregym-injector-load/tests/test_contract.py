from __future__ import annotations

from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import FaultContext
from sregym_core.model import Component, ProgramSetting
from sregym_injector_load.batch import JobAtPeak
from sregym_injector_load.connections import Connections
from sregym_injector_load.mixes import Flood, MixShift
from sregym_injector_load.plugin import sregym_register_injectors
from sregym_injector_load.rates import Spike
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryCluster,
    PluginContract,
)

FAULTS = tuple(registration.load()() for registration in sregym_register_injectors())


class BusyShop(FullShop):
    """The shop, whose visitors keep as many connections open as their command says."""

    def manifests(self) -> list[Any]:
        """Those of the shop, with the flag."""
        found = super().manifests()
        for obj in found:
            if obj["kind"] == "Deployment" and obj["metadata"]["name"] == "visitors":
                obj["spec"]["template"]["spec"]["containers"][0]["args"].append("--connections=8")
        return found

    def components(self) -> tuple[Component, ...]:
        """Those of the shop, with the setting."""
        setting = ProgramSetting(
            name="connections", role="connections", argument=r"(?<=^--connections=)\d+"
        )
        return tuple(
            part.model_copy(update={"settings": (*part.settings, setting)})
            if part.name == "visitors"
            else part
            for part in super().components()
        )


class TestPlugin(PluginContract):
    distribution = "sregym-injector-load"


class TestFaults(InjectorContract):
    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, BusyShop(), "visitors")


def at(fault: Spike | MixShift | Flood, **parameters: object) -> FaultContext:
    shop = FullShop()
    values = fault.Parameters.model_validate(parameters)
    part = shop.component("visitors")
    assert part is not None
    return FaultContext(MemoryCluster(), shop, part, values, UndoJournal())


def wrong(fault: Spike | MixShift | Flood, **parameters: object) -> dict[str, str]:
    found = fault.wrong(at(fault, **parameters))
    return {setting.name: value for setting, value in found.items()}


def test_what_the_load_becomes() -> None:
    assert wrong(Spike(), times=6) == {"rate": "60"}
    assert wrong(MixShift(), operation="buy", times=50) == {"WEIGHT_BUY": "50"}
    assert wrong(MixShift(), times=50) == {"WEIGHT_BUY": "50"}
    # Nine a second go on browsing, and a hundred buy.
    assert wrong(Flood(), operation="buy", times=100) == {"rate": "109", "WEIGHT_BUY": "100"}


def test_an_operation_that_is_not_asked() -> None:
    with pytest.raises(UsageError) as caught:
        wrong(Flood(), operation="sell")
    assert str(caught.value) == (
        "load generator 'visitors' has no weight of an operation 'sell'; it has: browse, buy"
    )


def test_only_load_generators_fit() -> None:
    assert {
        fault.name: [part.name for part in BusyShop().components() if fault.fits(part)]
        for fault in FAULTS
    } == {
        key: ["visitors"]
        for key in ("spike", "mix-shift", "connections-held", "job-at-peak", "flood")
    }
    visitors = FullShop().component("visitors")
    assert visitors is not None
    assert Connections().mismatch_reason(visitors) == (
        "none of its settings says how many connections it keeps open"
    )
    front = FullShop().component("front")
    assert front is not None
    assert Spike().mismatch_reason(front) == "it is no load generator"
    assert JobAtPeak().mismatch_reason(front) == (
        "it is no load generator, of which it could be told how users come in"
    )
    silent = visitors.model_copy(update={"settings": ()})
    assert JobAtPeak().mismatch_reason(silent) == "none of its settings says how much it asks"


def test_the_job_asks_as_users_do_and_more() -> None:
    shop, fault = FullShop(), JobAtPeak()
    visitors = shop.component("visitors")
    assert visitors is not None
    values = fault.Parameters(times=5, minutes=2)
    added = fault.added(FaultContext(MemoryCluster(), shop, visitors, values, UndoJournal()))
    spec = added["spec"]["jobTemplate"]["spec"]
    (entry,) = spec["template"]["spec"]["containers"]
    own = shop.manifest(visitors.workload)["spec"]["template"]["spec"]["containers"][0]
    changed = [
        (now, was) for now, was in zip(entry["args"], own["args"], strict=True) if now != was
    ]
    assert (added["metadata"]["name"], added["spec"]["schedule"]) == ("shop-export", "*/2 * * * *")
    assert spec["activeDeadlineSeconds"] == 115
    assert changed == [("--rate=50", "--rate=10")]


def test_a_load_generator_that_does_not_say_how_much_it_asks() -> None:
    visitors = FullShop().component("visitors")
    assert visitors is not None
    setting = ProgramSetting(name="USERS", role="users")
    other = visitors.model_copy(update={"settings": (setting,)})
    fault = JobAtPeak()
    context = FaultContext(MemoryCluster(), FullShop(), other, fault.Parameters(), UndoJournal())
    with pytest.raises(UsageError) as caught:
        fault.added(context)
    assert str(caught.value) == (
        "fault 'job-at-peak' on component 'visitors': its workload does not say how much it asks; "
        "give it the setting in the environment or the command of its container"
    )
