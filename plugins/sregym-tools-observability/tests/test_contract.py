"""The contracts of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from sregym_core.interfaces import SessionTool
from sregym_testing import PluginContract, ToolContract
from sregym_tools_observability import tools

NEEDED: dict[type[SessionTool], dict[str, Any]] = {
    tools.QueryMetrics: {"query": "up"},
    tools.QueryMetricsRange: {"query": "up"},
    tools.ListMetrics: {},
    tools.Alerts: {},
    tools.QueryLogs: {"query": "{}"},
    tools.LogLabels: {},
    tools.ListServices: {},
    tools.SearchTraces: {"service": "cart"},
    tools.GetTrace: {"trace_id": "1a"},
    tools.ServiceDependencies: {},
}


class TestPlugin(PluginContract):
    distribution = "sregym-tools-observability"


@pytest.mark.parametrize("kind", NEEDED, ids=lambda kind: kind.name)
class TestTools(ToolContract):
    @pytest.fixture
    def tool(self, kind: type[SessionTool]) -> SessionTool:
        return kind()

    @pytest.fixture
    def arguments(self, kind: type[SessionTool]) -> Mapping[str, Any]:
        return NEEDED[kind]
