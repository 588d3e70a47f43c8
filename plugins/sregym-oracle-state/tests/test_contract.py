"""The contract of this package."""

from __future__ import annotations

import pytest
from sregym_testing import OracleContract, PluginContract
from sregym_testing.oracles import OracleCase


class TestPlugin(PluginContract):
    distribution = "sregym-oracle-state"


class TestOracle(OracleContract):
    @pytest.fixture
    def case(self, case: OracleCase) -> OracleCase:
        return case
