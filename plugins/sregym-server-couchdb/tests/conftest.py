"""Containers of a server, without a cluster around them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_cluster_embedded.sdk.testing import ContainerBench


@pytest.fixture(scope="session")
def make_shop() -> Callable[[str], ContainerBench]:
    return ContainerBench.of
