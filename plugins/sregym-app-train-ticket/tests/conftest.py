from __future__ import annotations

import pytest
from sregym_app_train_ticket.application import TrainTicket


@pytest.fixture(scope="session")
def train_ticket() -> TrainTicket:
    return TrainTicket()
