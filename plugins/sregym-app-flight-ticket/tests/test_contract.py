from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_flight_ticket.application import FlightTicket
from sregym_testing import ApplicationContract, PluginContract, ProblemContract

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class TestPlugin(PluginContract):
    distribution = "sregym-app-flight-ticket"


class TestFlightTicket(ApplicationContract):
    @pytest.fixture
    def application(self, flight_ticket: FlightTicket) -> FlightTicket:
        return flight_ticket


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_flight_ticket") / "problems"
