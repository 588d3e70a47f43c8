from __future__ import annotations

import pytest
from sregym_core.interfaces import Application
from sregym_core.testing import FaultCase, InjectorContract, PluginContract
from sregym_injector_operator.cr_misoperation import CrMisoperation


class TestPlugin(PluginContract):
    distribution = "sregym-injector-operator"


class TestCustomResources(InjectorContract):
    @pytest.fixture
    def case(self, garden: Application) -> FaultCase:
        return FaultCase(CrMisoperation(), garden, "garden-apple")


def test_what_fits(garden: Application):
    fault = CrMisoperation()
    reasons = {part.name: fault.misfit(part) for part in garden.components()}
    assert reasons == {
        "cart": "a Deployment is no custom resource",
        "web": "a Deployment is no custom resource",
        "garden-apple": "",
    }
