"""The contracts of this package."""

from __future__ import annotations

import sys

import pytest
from sregym_agent_shell.shell import Shell
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-shell"


class TestShell(AgentContract):
    @pytest.fixture
    def make_agent(self):
        submit = f"{sys.executable} -m sregym_core submit"
        return lambda: Shell({"command": f"{submit} found && {submit} repaired"})
