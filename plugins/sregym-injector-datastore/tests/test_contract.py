from __future__ import annotations

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_core.testing import FaultCase, InjectorContract, PluginContract, WatchedCluster
from sregym_core.testing.clusters import Provision
from sregym_core.testing.worlds import ready_world
from sregym_injector_datastore.mongodb_accounts import MongodbRoleRevoked, MongodbUserDropped
from sregym_injectors.testing import Shop

FAULTS = (MongodbRoleRevoked(), MongodbUserDropped())


class TestPlugin(PluginContract):
    distribution = "sregym-injector-datastore"


class TestFaults(InjectorContract):
    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, Shop(), "catalog-db")

    def test_injection_does_not_wait(self, case: FaultCase, provision: Provision) -> None:
        """It waits for the clients' pods to go, and never for its effect."""
        world = ready_world(case.application, provision)
        watched = WatchedCluster(world.cluster)
        component = case.application.component(case.component)
        values = case.fault.Parameters()
        context = FaultContext(watched, case.application, component, values, UndoJournal())
        case.fault.inject(context)
        assert watched.clock.waits == ["wait_until 180"]


def test_what_fits():
    fitting = {f.name: [p.name for p in Shop().components() if f.fits(p)] for f in FAULTS}
    assert fitting == {
        "mongodb-role-revoked": ["catalog-db"],
        "mongodb-user-dropped": ["catalog-db"],
    }
