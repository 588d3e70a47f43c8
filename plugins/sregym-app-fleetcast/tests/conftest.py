from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_fleetcast.application import FleetCast
from sregym_core.interfaces import Cluster, ClusterSpec
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_testing.clusters import open_clusters


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    """A cluster on which the fleet has been watched for two minutes."""
    provider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    application = FleetCast()
    with open_clusters(provider) as give:
        cluster = give(ClusterSpec(seed=7, applications=(application,)))
        application.deploy(cluster)
        assert cluster.clock.wait_until(lambda: not application.ready(cluster), 900.0, 5.0)
        cluster.clock.advance(120.0)
        yield cluster
