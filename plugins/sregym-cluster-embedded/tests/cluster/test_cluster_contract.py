"""The embedded cluster holds to the contract of clusters."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.sdk.clusters import Embedded
from sregym_core.interfaces import ClusterProvider
from sregym_testing import ClusterContract


class TestEmbedded(ClusterContract):
    @pytest.fixture
    def provider(self) -> ClusterProvider:
        return Embedded()
