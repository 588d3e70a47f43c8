from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_synthetic.application import Synthetic
from sregym_core.interfaces import ClusterProvider
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_testing import (
    ApplicationContract,
    ApplicationTrafficContract,
    PluginContract,
    ProblemContract,
)
from sregym_testing.clusters import open_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Application
    from sregym_testing.clusters import Provision


class TestPlugin(PluginContract):
    distribution = "sregym-app-synthetic"


class TestSynthetic(ApplicationContract):
    @pytest.fixture
    def application(self) -> Application:
        return Synthetic()


class TestSyntheticOnTheEmbeddedCluster(ApplicationTrafficContract):
    """A small one: what holds for it holds for those of other sizes, which the next module sees."""

    @pytest.fixture
    def application(self) -> Application:
        return Synthetic().with_options({"services": "24", "queues": "0.05", "seed": "5"})

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
        with open_clusters(provider) as give:
            yield give


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_synthetic") / "problems"
