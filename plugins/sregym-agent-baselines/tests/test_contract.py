"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_agent_baselines.expert import Expert
from sregym_agent_baselines.noop import Noop
from sregym_agent_baselines.random_acts import RandomActs
from sregym_agent_baselines.restart_loop import RestartLoop
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-baselines"


class TestExpert(AgentContract):
    @pytest.fixture
    def make_agent(self):
        return Expert


class TestNoop(AgentContract):
    @pytest.fixture
    def make_agent(self):
        return Noop


class TestRestartLoop(AgentContract):
    @pytest.fixture
    def make_agent(self):
        return RestartLoop


class TestRandomActs(AgentContract):
    @pytest.fixture
    def make_agent(self):
        return RandomActs
