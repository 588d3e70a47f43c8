from __future__ import annotations

import pytest
from sregym_core.testing import NoiseCase, NoiseContract, PluginContract
from sregym_core.testing.clusters import Provision
from sregym_injectors.testing import MemoryCluster, Shop
from sregym_noise_kubernetes.pod_restart import PodRestart


class TestPlugin(PluginContract):
    distribution = "sregym-noise-kubernetes"


class TestPodRestart(NoiseContract):
    @pytest.fixture
    def case(self) -> NoiseCase:
        return NoiseCase(PodRestart(), Shop(), spared="catalog")

    @pytest.fixture
    def provision(self) -> Provision:
        return lambda spec: MemoryCluster()
