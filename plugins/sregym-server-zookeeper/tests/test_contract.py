"""The contracts that this package must hold to."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.sdk.exporters import Exporter
from sregym_cluster_embedded.sdk.testing import (
    ClusterTestbed,
    ExporterContract,
    ExtensionContract,
)
from sregym_server_zookeeper.exporter import EXPORTER

POD = """
apiVersion: v1
kind: Pod
metadata: {name: zoo, namespace: default}
spec: {containers: [{name: zoo, image: "zookeeper:3.4"}]}
"""


class TestExtension(ExtensionContract):
    distribution = "sregym-server-zookeeper"


class TestExporter(ExporterContract):
    @pytest.fixture
    def exporter(self) -> Exporter:
        return EXPORTER

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        cluster = ClusterTestbed.of()
        cluster.apply(POD)
        return cluster
