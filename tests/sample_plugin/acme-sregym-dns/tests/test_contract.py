"""What Acme's plugin must hold to."""

from __future__ import annotations

import pytest
from acme_sregym_dns.alias import ServiceAlias
from acme_sregym_dns.names import NamesInside
from sregym_core.interfaces import OracleContext
from sregym_testing import (
    FaultCase,
    InjectorContract,
    OracleCase,
    OracleContract,
    PluginContract,
    Provision,
    Shop,
    shop_context,
)


class TestPlugin(PluginContract):
    distribution = "acme-sregym-dns"


class TestServiceAlias(InjectorContract):
    @pytest.fixture(params=[{}, {"host": "elsewhere.example.invalid"}])
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(ServiceAlias(), Shop(), "cart", request.param)


def with_alias(provision: Provision) -> OracleContext:
    context = shop_context(provision)
    service = context.application.components()[0].service
    assert service is not None
    alias = {"type": "ExternalName", "externalName": "elsewhere.example.invalid"}
    context.cluster.patch(service, {"spec": alias}, "merge")
    return context


class TestNamesInside(OracleContract):
    @pytest.fixture
    def case(self) -> OracleCase:
        return OracleCase(NamesInside(), {"healthy": shop_context}, {"alias": with_alias})
