from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_app_deathstarbench.hotel_reservation.aggregated import HotelReservationAggregated
from sregym_app_deathstarbench.hotel_reservation.behind_ingress import HotelReservationIngress
from sregym_app_deathstarbench.media_microservices import MediaMicroservices
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_app_deathstarbench.social_network.replicated import SocialNetworkReplicated
from sregym_app_deathstarbench.tiers import HotelReservationReplicated
from sregym_testing import (
    ApplicationContract,
    ApplicationTrafficContract,
    PluginContract,
    ProblemContract,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Application
    from sregym_testing import ReadyWorlds


class TestPlugin(PluginContract):
    distribution = "sregym-app-deathstarbench"


APPLICATIONS = (HotelReservation, SocialNetwork, MediaMicroservices)
VARIANTS = (HotelReservationAggregated, HotelReservationIngress)


class TestApplications(ApplicationContract):
    @pytest.fixture(scope="class", params=(*APPLICATIONS, *VARIANTS), ids=lambda kind: kind.name)
    @classmethod
    def application(cls, request: pytest.FixtureRequest) -> Application:
        made: Application = request.param()
        return made


class TestApplicationsOnTheEmbeddedCluster(ApplicationTrafficContract):
    # Replica sets are made by Jobs, which run nowhere else; one tier stands for the others.
    @pytest.fixture(
        scope="class",
        params=(*APPLICATIONS, SocialNetworkReplicated, HotelReservationReplicated),
        ids=lambda kind: kind.name,
    )
    @classmethod
    def application(cls, request: pytest.FixtureRequest) -> Application:
        made: Application = request.param()
        return made

    @pytest.fixture
    def provision(self, ready_worlds: Callable[[str], ReadyWorlds]) -> ReadyWorlds:
        return ready_worlds("embedded")


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_deathstarbench") / "problems"
