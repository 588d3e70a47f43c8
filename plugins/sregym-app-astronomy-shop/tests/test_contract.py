from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_astronomy_shop.application import AstronomyShop
from sregym_app_astronomy_shop.replicated import AstronomyShopReplicated
from sregym_app_astronomy_shop.reviews.application import AstronomyShopReviews
from sregym_testing import ApplicationTrafficContract, PluginContract, ProblemContract

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

    from sregym_testing import ReadyWorlds


class TestPlugin(PluginContract):
    distribution = "sregym-app-astronomy-shop"


class TestAstronomyShop(ApplicationTrafficContract):
    @pytest.fixture(
        scope="class",
        params=(AstronomyShop, AstronomyShopReplicated, AstronomyShopReviews),
        ids=lambda kind: kind.name,
    )
    @classmethod
    def application(cls, request: pytest.FixtureRequest) -> AstronomyShop:
        kind: type[AstronomyShop] = request.param
        return kind()

    @pytest.fixture
    def provision(self, ready_worlds: Callable[[str], ReadyWorlds]) -> ReadyWorlds:
        return ready_worlds("embedded")


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_astronomy_shop") / "problems"
