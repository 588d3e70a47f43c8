"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_agent_react.react import React
from sregym_agents.testing import use
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-react"


class TestReact(AgentContract):
    @pytest.fixture
    def make_agent(self, provider):
        provider.script = [
            use("kubectl", command="kubectl get pods -n shop"),
            use("submit", text="the cart"),
            use("submit", text="repaired"),
        ]
        return lambda: React({"model": "scripted", "base_url": f"{provider.url}/v1"})
