"""The contracts of this package."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_agent_stratus.stratus import Stratus
from sregym_agents.testing import use
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-stratus"


class TestStratus(AgentContract):
    @pytest.fixture
    def make_agent(self, provider: Any) -> Any:
        provider.script = [
            use("kubectl", command="kubectl get pods -n shop"),
            use("conclude", text="the cart"),
        ]
        return lambda: Stratus({"model": "scripted", "base_url": f"{provider.url}/v1"})
