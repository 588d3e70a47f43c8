"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_core.testing import NoiseCase, NoiseContract, PluginContract, Shop
from sregym_noise_telemetry.noise import Telemetry


class TestPlugin(PluginContract):
    distribution = "sregym-noise-telemetry"


class TestTelemetry(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(Telemetry(), Shop(), spared="cart")
