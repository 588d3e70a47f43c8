"""Containers of a server, without a cluster around them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_cluster_embedded.sdk.testing import ContainerTestbed


@pytest.fixture(scope="session")
def make_shop() -> Callable[[str], ContainerTestbed]:
    return ContainerTestbed.of
