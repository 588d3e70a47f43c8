"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_agent_redteam.agent import RedTeam
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-redteam"


class TestRedTeam(AgentContract):
    @pytest.fixture
    def make_agent(self):
        return lambda: RedTeam({"routes": "environment,talk-to-the-judge"})
