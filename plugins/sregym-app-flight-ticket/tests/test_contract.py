from __future__ import annotations

import pytest
from sregym_app_flight_ticket.application import FlightTicket
from sregym_core.testing import ApplicationContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-app-flight-ticket"


class TestFlightTicket(ApplicationContract):
    @pytest.fixture
    def application(self, flight_ticket: FlightTicket) -> FlightTicket:
        return flight_ticket
