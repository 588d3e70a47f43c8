"""Sessions that hand out a kubeconfig, of a cluster that nobody serves."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.interfaces import ClusterSpec
from sregym_testing import AddressedCluster, Provision


@pytest.fixture
def provision(tmp_path: Path) -> Provision:
    def give(_spec: ClusterSpec) -> AddressedCluster:
        return AddressedCluster(tmp_path)

    return give
