from __future__ import annotations

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_core.testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryCluster,
    PluginContract,
)
from sregym_injector_code.plugin import sregym_register_injectors
from sregym_injectors.settings import SettingFault

FAULTS = tuple(offer.load()() for offer in sregym_register_injectors())


class TestPlugin(PluginContract):
    distribution = "sregym-injector-code"


class TestFaults(InjectorContract):
    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "front")


def test_what_settings_become() -> None:
    shop = FullShop()
    front = shop.component("front")
    assert front is not None
    found = {}
    for fault in FAULTS:
        assert isinstance(fault, SettingFault)
        context = FaultContext(MemoryCluster(), shop, front, fault.Parameters(), UndoJournal())
        found[fault.name] = {s.name: value for s, value in fault.wrong(context).items()}
    assert found == {
        "retry-policy": {"CALL_TIMEOUT": "50ms", "CALL_ATTEMPTS": "30"},
        "timeouts-misordered": {"CALL_TIMEOUT": "1ms"},
        "limits-wrong": {"MAX_REQUESTS": "8"},
        "pool-too-small": {"pool": "1"},
        "gc-pressure": {"GOGC": "1"},
    }


def test_what_fits() -> None:
    fitting = {f.name: [p.name for p in FullShop().components() if f.fits(p)] for f in FAULTS}
    assert fitting == {fault.name: ["front"] for fault in FAULTS}
