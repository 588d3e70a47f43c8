from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_astronomy_shop.application import AstronomyShop
from sregym_app_astronomy_shop.replicated import AstronomyShopReplicated
from sregym_app_astronomy_shop.reviews.application import AstronomyShopReviews
from sregym_core.interfaces import ClusterProvider
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_testing import ApplicationTrafficContract, PluginContract, ProblemContract
from sregym_testing.clusters import open_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from sregym_testing.clusters import Provision


class TestPlugin(PluginContract):
    distribution = "sregym-app-astronomy-shop"


class TestAstronomyShop(ApplicationTrafficContract):
    @pytest.fixture(
        params=(AstronomyShop, AstronomyShopReplicated, AstronomyShopReviews),
        ids=lambda kind: kind.name,
    )
    def application(self, request: pytest.FixtureRequest) -> AstronomyShop:
        kind: type[AstronomyShop] = request.param
        return kind()

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
        with open_clusters(provider) as give:
            yield give


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_astronomy_shop") / "problems"
