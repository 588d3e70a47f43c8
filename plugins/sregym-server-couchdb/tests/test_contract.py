"""The contracts that this package must hold to."""

from __future__ import annotations

from typing import ClassVar

import pytest
from sregym_cluster_embedded.sdk.exporters import Exporter
from sregym_cluster_embedded.sdk.testing import (
    ClusterTestbed,
    ExporterContract,
    ExtensionContract,
    ServerContract,
)
from sregym_server_couchdb.exporter import EXPORTER

POD = """
apiVersion: v1
kind: Pod
metadata: {name: store, namespace: default}
spec: {containers: [{name: store, image: "apache/couchdb:2.3"}]}
"""


class TestExtension(ExtensionContract):
    distribution = "sregym-server-couchdb"


class TestServer(ServerContract):
    kind: ClassVar[str] = "couchdb"
    image: ClassVar[str] = "apache/couchdb:2.3"
    data_dir: ClassVar[str] = "/opt/couchdb/data"
    stores: ClassVar[str] = "PUT /notes HTTP/1.1\r\nHost: server\r\n\r\n"
    asks: ClassVar[str] = "GET /_all_dbs HTTP/1.1\r\nHost: server\r\n\r\n"


class TestExporter(ExporterContract):
    @pytest.fixture
    def exporter(self) -> Exporter:
        return EXPORTER

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        cluster = ClusterTestbed.of()
        cluster.apply(POD)
        return cluster
