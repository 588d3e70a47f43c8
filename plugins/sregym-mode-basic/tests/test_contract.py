"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Mode
from sregym_mode_basic.modes import MODES
from sregym_testing import ModeContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-mode-basic"


class TestModes(ModeContract):
    @pytest.fixture(params=MODES, ids=lambda mode: mode.name)
    def mode(self, request: pytest.FixtureRequest) -> Mode:
        return request.param
