from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_blueprint.application import BlueprintHotels
from sregym_testing import ApplicationContract, PluginContract, ProblemContract

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class TestPlugin(PluginContract):
    distribution = "sregym-app-blueprint"


class TestBlueprintHotels(ApplicationContract):
    @pytest.fixture
    def application(self, hotels: BlueprintHotels) -> BlueprintHotels:
        return hotels


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_blueprint") / "problems"
