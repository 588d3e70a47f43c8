from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_fleetcast.application import FleetCast
from sregym_testing import ApplicationTrafficContract, PluginContract, ProblemContract

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

    from sregym_testing import ReadyWorlds


class TestPlugin(PluginContract):
    distribution = "sregym-app-fleetcast"


class TestFleetCast(ApplicationTrafficContract):
    @pytest.fixture
    def application(self) -> FleetCast:
        return FleetCast()

    @pytest.fixture
    def provision(self, ready_worlds: Callable[[str], ReadyWorlds]) -> ReadyWorlds:
        return ready_worlds("embedded")


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_fleetcast") / "problems"
