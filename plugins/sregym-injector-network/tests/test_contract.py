from __future__ import annotations

import pytest
from sregym_core.model import TargetKind
from sregym_core.testing import FaultCase, FullShop, InjectorContract, PluginContract
from sregym_injector_network.plugin import sregym_register_injectors

FAULTS = {offer.name: offer.load()() for offer in sregym_register_injectors()}
CASES = [
    FaultCase(fault, FullShop(), {"cluster": True} if fault.takes == (TargetKind.CLUSTER,) else "catalog")
    for fault in FAULTS.values()
]  # fmt: skip

CASES.append(FaultCase(FAULTS["endpoints-stale"], FullShop(), "catalog-db"))


class TestPlugin(PluginContract):
    distribution = "sregym-injector-network"


class TestFaults(InjectorContract):
    @pytest.fixture(params=CASES, ids=lambda case: f"{case.fault.name}-{case.target}")
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


def test_faults_have_the_names_by_which_they_are_offered():
    assert {name: fault.name for name, fault in FAULTS.items()} == {name: name for name in FAULTS}


def test_what_fits():
    parts = FullShop().components()
    fitting = {
        name: [part.name for part in parts if fault.fits(part)]
        for name, fault in FAULTS.items()
        if fault.takes == (TargetKind.COMPONENT,)
    }
    every = ["catalog", "catalog-db", "front"]
    assert fitting == {
        **dict.fromkeys(
            (
                *("service-port", "service-protocol", "service-external-name", "traffic-policy"),
                *("service-selector-wide", "endpoints-stale", "policy-deny", "policy-peer"),
                *("policy-caller", "policy-port", "dns-name-poisoned"),
            ),
            every,
        ),
        **{key: ["catalog", "front"] for key in ("policy-dns", "dns-policy", "host-aliases")},
    }
