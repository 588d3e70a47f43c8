"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_agent_shortcuts.agent import Shortcuts
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-shortcuts"


class TestShortcuts(AgentContract):
    @pytest.fixture
    def make_agent(self) -> type[Shortcuts]:
        return Shortcuts
