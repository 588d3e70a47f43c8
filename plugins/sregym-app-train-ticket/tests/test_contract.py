from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_train_ticket.application import TrainTicket
from sregym_app_train_ticket.replicated import TrainTicketReplicated
from sregym_testing import ApplicationContract, PluginContract, ProblemContract

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

    from sregym_testing import ReadyWorlds


class TestPlugin(PluginContract):
    distribution = "sregym-app-train-ticket"


class TestTrainTicket(ApplicationContract):
    @pytest.fixture
    def application(self, train_ticket: TrainTicket) -> TrainTicket:
        return train_ticket


class TestTrainTicketReplicated(ApplicationContract):
    @pytest.fixture(scope="class")
    @classmethod
    def application(cls) -> TrainTicketReplicated:
        return TrainTicketReplicated()

    @pytest.fixture
    def provision(self, ready_worlds: Callable[[str], ReadyWorlds]) -> ReadyWorlds:
        # Of Jobs the cluster in memory knows nothing.
        return ready_worlds("embedded")


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_train_ticket") / "problems"
