"""The contracts that this package holds to."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest
from acme_gardener.application import Orchard
from acme_gardener.operator import OPERATOR
from sregym_cluster_embedded.sdk.controllers import Operator
from sregym_cluster_embedded.sdk.testing import ClusterTestbed, ExtensionContract, OperatorContract
from sregym_core.interfaces import Application
from sregym_testing import (
    ApplicationTrafficContract,
    PluginContract,
    ProblemContract,
    ReadyWorlds,
)


class TestPlugin(PluginContract):
    distribution = "acme-gardener"


class TestExtension(ExtensionContract):
    distribution = "acme-gardener"


class TestProblems(ProblemContract):
    @pytest.fixture
    def folder(self) -> Traversable:
        return files("acme_gardener") / "problems"


class TestOrchard(ApplicationTrafficContract):
    @pytest.fixture
    def application(self) -> Application:
        return Orchard()

    @pytest.fixture
    def provision(self, ready_worlds: Callable[[str], ReadyWorlds]) -> ReadyWorlds:
        return ready_worlds("embedded")


class TestGardener(OperatorContract):
    @pytest.fixture
    def operator(self) -> Operator:
        return OPERATOR

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        cluster = ClusterTestbed.of((files("acme_gardener") / "service_model.yaml").read_text())
        for name in ("gardener", "orchard"):
            cluster.apply((files("acme_gardener") / f"manifests/{name}.yaml").read_text())
        return cluster

    def test_conditions_follow_the_trees(self, settled: ClusterTestbed) -> None:
        assert _ready(settled) == "True 2 of 2 trees are ready"
        three = ("patch", "grove", "trees", "--type=merge", "-p", '{"spec": {"replicas": 3}}')
        settled.kubectl("-n", "orchard", *three)
        settled.run(0.5)
        assert _ready(settled) == "False 2 of 3 trees are ready"
        settled.run(60)
        assert _ready(settled) == "True 3 of 3 trees are ready"

    def test_its_columns_are_shown(self, settled: ClusterTestbed) -> None:
        shown = settled.kubectl("-n", "orchard", "get", "groves").stdout.splitlines()
        assert [line.split() for line in shown] == [
            ["NAME", "READY", "TREES"],
            ["trees", "True", "2"],
        ]

    def test_what_it_may_not_do_stands_in_its_log(self, settled: ClusterTestbed) -> None:
        words = ("delete", "clusterrolebinding", "gardener")
        assert settled.kubectl(*words).ok
        settled.kubectl("-n", "orchard", "scale", "statefulset", "trees", "--replicas=1")
        settled.run(5)
        logs = settled.kubectl("-n", "gardener", "logs", "-l", "app=gardener").stdout
        assert "Reconciler error" in logs
        assert 'groves.gardens.acme.example \\"trees\\" is forbidden' in logs


def _ready(cluster: ClusterTestbed) -> str:
    path = "jsonpath={.status.conditions[0].status} {.status.conditions[0].message}"
    return cluster.kubectl("-n", "orchard", "get", "grove", "trees", "-o", path).stdout
