from __future__ import annotations

import pytest
from sregym_core.testing import FullShop, NoiseCase, NoiseContract, PluginContract
from sregym_noise_kubernetes.pod_restart import PodRestart


class TestPlugin(PluginContract):
    distribution = "sregym-noise-kubernetes"


class TestPodRestart(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(PodRestart(), FullShop(), spared="catalog")
