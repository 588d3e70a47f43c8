"""The contracts of this package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_campaign.processes import Processes
from sregym_core.api import Workspace
from sregym_core.interfaces import EpisodeRequest, Runner
from sregym_core.settings import Settings
from sregym_testing import PluginContract, RunnerContract


class TestPlugin(PluginContract):
    distribution = "sregym-campaign"


class TestProcesses(RunnerContract):
    @pytest.fixture
    def runner(self) -> Iterator[Runner]:
        made = Processes(1)
        yield made
        made.close()

    @pytest.fixture
    def episode(self) -> EpisodeRequest:
        problem = Workspace(Settings()).problem("wrong_service_selector_hotel_reservation")
        return EpisodeRequest("e", problem, "noop")
