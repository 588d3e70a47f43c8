"""The contracts that this package holds to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acme_audit.cluster import AuditedCluster, Book
from acme_audit.provider import Audited
from sregym_cluster_embedded.sdk.clusters import Embedded
from sregym_core.errors import UsageError
from sregym_core.interfaces import Actor, Cluster, ClusterProvider, ClusterSpec
from sregym_testing import ClusterContract, PluginContract


class TestPlugin(PluginContract):
    distribution = "acme-audit"


class _In(Audited):
    """With a file of its own."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def provision(self, spec: ClusterSpec) -> Cluster:
        return AuditedCluster(Embedded().provision(spec), Book(self.file))


class TestAudited(ClusterContract):
    @pytest.fixture
    def provider(self, tmp_path: Path) -> ClusterProvider:
        return _In(tmp_path / "audit.jsonl")


def test_changes_are_written_down(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    cluster = Audited().provision(ClusterSpec(options={"file": str(file)}))
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    cluster.create(namespace, Actor("helm", "Helm/3"))
    (entry,) = map(json.loads, file.read_text().splitlines())
    assert (entry["verb"], entry["what"], entry["who"]) == ("create", "Namespace/shop", "helm")


def test_it_asks_for_its_file() -> None:
    with pytest.raises(UsageError) as caught:
        Audited().check({})
    assert str(caught.value) == (
        "cluster 'audited' needs the option 'file': audited:file=audit.jsonl"
    )
