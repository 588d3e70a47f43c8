"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_agent_http.webhook import Webhook
from sregym_testing import AgentContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-agent-http"


class TestWebhook(AgentContract):
    @pytest.fixture
    def make_agent(self, product):
        return lambda: Webhook({"url": product.url})
