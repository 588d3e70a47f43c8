"""The contracts of this package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.api import Workspace
from sregym_core.interfaces import EpisodeRequest, Runner
from sregym_core.settings import Settings
from sregym_runner_ray.runner import RayRunner
from sregym_testing import PluginContract, RunnerContract


class TestPlugin(PluginContract):
    distribution = "sregym-runner-ray"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # of Ray's own processes and sockets
class TestRay(RunnerContract):
    @pytest.fixture(scope="class")
    def runner(self) -> Iterator[Runner]:
        """One cluster of this machine for all checks: it takes long to start."""
        made = RayRunner(1)
        yield made
        made.close()

    @pytest.fixture
    def episode(self) -> EpisodeRequest:
        problem = Workspace(Settings()).problem("wrong_service_selector_hotel_reservation")
        return EpisodeRequest("e", problem, "noop")
