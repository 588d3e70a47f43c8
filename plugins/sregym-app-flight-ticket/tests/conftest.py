from __future__ import annotations

import pytest
from sregym_app_flight_ticket.application import FlightTicket


@pytest.fixture(scope="session")
def flight_ticket() -> FlightTicket:
    return FlightTicket()
