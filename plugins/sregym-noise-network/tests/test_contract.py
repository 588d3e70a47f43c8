"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_core.testing import NoiseCase, NoiseContract, PluginContract, Shop
from sregym_noise_network.noise import Network


class TestPlugin(PluginContract):
    distribution = "sregym-noise-network"


class TestNetwork(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(Network(), Shop(), spared="cart")
