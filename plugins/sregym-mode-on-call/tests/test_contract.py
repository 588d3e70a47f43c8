"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Mode
from sregym_mode_on_call.mode import OnCall
from sregym_testing import ModeContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-mode-on-call"


class TestOnCall(ModeContract):
    @pytest.fixture
    def mode(self) -> Mode:
        return OnCall()
