"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_agent_playbook.agent import Playbook
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-playbook"


class TestPlaybook(AgentContract):
    @pytest.fixture
    def make_agent(self) -> type[Playbook]:
        return Playbook
