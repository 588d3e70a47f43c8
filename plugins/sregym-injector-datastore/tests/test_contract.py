from __future__ import annotations

import pytest
from sregym_core.testing import FaultCase, FullShop, InjectorContract, PluginContract
from sregym_injector_datastore.conditions import LockHeld
from sregym_injector_datastore.mongodb_accounts import MongodbRoleRevoked, MongodbUserDropped
from sregym_injector_datastore.password_rotated import PasswordRotated
from sregym_injector_datastore.tls_required import TlsRequired

FAULTS = (MongodbRoleRevoked(), MongodbUserDropped(), LockHeld(), PasswordRotated(), TlsRequired())


class TestPlugin(PluginContract):
    distribution = "sregym-injector-datastore"


class TestFaults(InjectorContract):
    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "catalog-db")


def test_what_fits():
    fitting = {f.name: [p.name for p in FullShop().components() if f.fits(p)] for f in FAULTS}
    assert fitting == {
        "mongodb-role-revoked": ["catalog-db"],
        "mongodb-user-dropped": ["catalog-db"],
        "lock-held": ["catalog-db"],
        "password-rotated": ["catalog-db"],
        "tls-required": ["catalog-db"],
    }
