"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_core.testing import NoiseCase, NoiseContract, PluginContract, Shop
from sregym_noise_load.noise import Load


class TestPlugin(PluginContract):
    distribution = "sregym-noise-load"


class TestLoad(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(Load(), Shop(), spared="cart")
