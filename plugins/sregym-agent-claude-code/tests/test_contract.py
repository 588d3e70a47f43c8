"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-claude-code"


class TestAgent(AgentContract):
    @pytest.fixture
    def make_agent(self, make_stand_in):
        calls = [
            ("kubectl", {"command": "kubectl get pods -n shop"}),
            ("submit", {"text": "the cart"}),
            ("submit", {"text": "repaired"}),
        ]
        return lambda: make_stand_in(*calls)
