from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_train_ticket.application import TrainTicket
from sregym_app_train_ticket.replicated import TrainTicketReplicated
from sregym_core.interfaces import ClusterProvider
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_testing import ApplicationContract, PluginContract, ProblemContract
from sregym_testing.clusters import open_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from sregym_testing.clusters import Provision


class TestPlugin(PluginContract):
    distribution = "sregym-app-train-ticket"


class TestTrainTicket(ApplicationContract):
    @pytest.fixture
    def application(self, train_ticket: TrainTicket) -> TrainTicket:
        return train_ticket


class TestTrainTicketReplicated(ApplicationContract):
    @pytest.fixture
    def application(self) -> TrainTicketReplicated:
        return TrainTicketReplicated()

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        # Of Jobs the cluster in memory knows nothing.
        provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
        with open_clusters(provider) as give:
            yield give


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_train_ticket") / "problems"
