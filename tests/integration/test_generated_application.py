"""An application as `sregym new app` writes it lives on the embedded cluster."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest
from sregym_core.interfaces import Application
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_dev.package import Package
from sregym_testing import ApplicationTrafficContract, Provision
from sregym_testing.clusters import open_clusters

MODULE = "sregym_app_corner_shop"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = Package("app", "corner-shop").write(tmp_path_factory.mktemp("generated"))
    sys.path.insert(0, str(folder / "src"))
    yield importlib.import_module(f"{MODULE}.application").CornerShop()
    sys.path.remove(str(folder / "src"))
    for name in [name for name in sys.modules if name.partition(".")[0] == MODULE]:
        del sys.modules[name]


class TestGeneratedApplication(ApplicationTrafficContract):
    @pytest.fixture
    def application(self, generated: Application) -> Application:
        return generated

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        provider = Registry(Plugins(Settings())).load("cluster", "embedded")()
        with open_clusters(provider) as provision:
            yield provision
