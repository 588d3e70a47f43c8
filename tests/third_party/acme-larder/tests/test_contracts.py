"""The contracts that this package holds to."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import ClassVar

import pytest
from acme_larder.application import Pantry
from acme_larder.exporter import EXPORTER
from sregym_cluster_embedded.sdk.exporters import Exporter
from sregym_cluster_embedded.sdk.testing import (
    ClusterTestbed,
    ContainerCommandContract,
    ContainerTestbed,
    ExporterContract,
    ExtensionContract,
    Mount,
    ServerContract,
)
from sregym_core.interfaces import Application
from sregym_testing import (
    ApplicationTrafficContract,
    PluginContract,
    ProblemContract,
    Provision,
    provision_by_name,
)

IMAGE = "registry.acme.example/larder:3.1"


class TestPlugin(PluginContract):
    distribution = "acme-larder"


class TestExtension(ExtensionContract):
    distribution = "acme-larder"


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("acme_larder") / "problems"


class TestLarder(ServerContract):
    kind: ClassVar[str] = "larder"
    image: ClassVar[str] = IMAGE
    data_dir: ClassVar[str] = "/var/lib/larder"
    stores: ClassVar[str] = 'PUT a/1 0 {"n": 1}\n'
    asks: ClassVar[str] = "GET a/1\n"


class TestLarderctl(ContainerCommandContract):
    command: ClassVar[str] = "larderctl"
    example: ClassVar[tuple[str, ...]] = ("--help",)


class TestExporter(ExporterContract):
    @pytest.fixture
    def exporter(self) -> Exporter:
        return EXPORTER

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        cluster = ClusterTestbed.of((files("acme_larder") / "service_model.yaml").read_text())
        cluster.apply((files("acme_larder") / "manifests/pantry.yaml").read_text())
        return cluster


class TestPantry(ApplicationTrafficContract):
    @pytest.fixture
    def application(self) -> Application:
        return Pantry()

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with provision_by_name("embedded") as provision:
            yield provision


@pytest.fixture
def testbed() -> ContainerTestbed:
    testbed = ContainerTestbed.of(public=True)
    testbed.start("larder", IMAGE, "3", mounts={"/var/lib/larder": Mount("volume", "claim")})
    testbed.run(5)
    return testbed


def test_documents_go_when_their_time_is_over(testbed: ContainerTestbed) -> None:
    assert testbed.exec("larder", "larderctl", "put", "a/1", "60", "{}") == (0, "+OK\n", "")
    assert testbed.exec("larder", "larderctl", "get", "a/1") == (0, "+{}\n", "")
    testbed.run(61)
    assert testbed.exec("larder", "larderctl", "get", "a/1") == (1, "", "-NONE\n")


def test_a_full_larder_says_so(testbed: ContainerTestbed) -> None:
    testbed.exec("larder", "larderctl", "limit", "1")
    testbed.exec("larder", "larderctl", "put", "a/1", "0", "{}")
    full = (1, "", "-507 no room: 1 of 1 documents\n")
    assert testbed.exec("larder", "larderctl", "put", "a/2", "0", "{}") == full


def test_its_log_is_its_own(testbed: ContainerTestbed) -> None:
    assert testbed.texts("larder") == ["1763760000525 INFO open port=7333 dir=/var/lib/larder"]
