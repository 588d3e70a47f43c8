from __future__ import annotations

import pytest
from sregym_app_blueprint.application import BlueprintHotels
from sregym_core.testing import ApplicationContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-app-blueprint"


class TestBlueprintHotels(ApplicationContract):
    @pytest.fixture
    def application(self, hotels: BlueprintHotels) -> BlueprintHotels:
        return hotels
