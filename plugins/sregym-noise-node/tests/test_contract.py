"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_core.testing import NoiseCase, NoiseContract, PluginContract, Shop
from sregym_noise_node.noise import Node


class TestPlugin(PluginContract):
    distribution = "sregym-noise-node"


class TestNode(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(Node(), Shop(), spared="cart")
