from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_core.testing import ApplicationContract, PluginContract, ProblemContract

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Application


class TestPlugin(PluginContract):
    distribution = "sregym-app-deathstarbench"


class TestHotelReservation(ApplicationContract):
    @pytest.fixture
    def application(self) -> Application:
        return HotelReservation()


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_deathstarbench") / "problems"
