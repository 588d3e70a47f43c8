"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Routine
from sregym_routine_kubernetes.routine import KubernetesRoutine
from sregym_testing import PluginContract, RoutineContract


class TestPlugin(PluginContract):
    distribution = "sregym-routine-kubernetes"


class TestKubernetesRoutine(RoutineContract):
    @pytest.fixture
    def routine(self) -> Routine:
        return KubernetesRoutine()
