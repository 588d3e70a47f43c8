from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_synthetic.application import Synthetic
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
    def provision(self, ready_worlds: Callable[[str], ReadyWorlds]) -> ReadyWorlds:
        return ready_worlds("embedded")


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("sregym_app_synthetic") / "problems"
