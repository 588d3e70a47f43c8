from __future__ import annotations

import pytest
from sregym_app_train_ticket.application import TrainTicket
from sregym_core.testing import ApplicationContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-app-train-ticket"


class TestTrainTicket(ApplicationContract):
    @pytest.fixture
    def application(self, train_ticket: TrainTicket) -> TrainTicket:
        return train_ticket
