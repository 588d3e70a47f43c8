"""The contracts that this package must hold to, in a running application."""

from __future__ import annotations

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec
from sregym_noise_telemetry.alerts import AlertFlapping, FalseAlerts
from sregym_noise_telemetry.logs import LogDeprecations, LogRetries, LogStackTraces
from sregym_noise_telemetry.metrics import CounterReset, ScrapeGap
from sregym_testing import NoiseCase, NoiseContract, PluginContract

SOURCES = (
    AlertFlapping,
    FalseAlerts,
    LogDeprecations,
    LogRetries,
    LogStackTraces,
    CounterReset,
    ScrapeGap,
)


class TestPlugin(PluginContract):
    distribution = "sregym-noise-telemetry"


@pytest.fixture(scope="module")
def running():
    """A moment at which all is well, to fork worlds from."""
    application = HotelReservation()
    cluster = Embedded().provision(ClusterSpec(seed=7, applications=(application,)))
    application.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not application.ready(cluster), 600.0, 2.0)
    yield cluster.checkpoint()
    cluster.close()


@pytest.fixture
def provision(running):
    return running.fork


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
class TestSources(NoiseContract):
    @pytest.fixture
    def case(self, source) -> NoiseCase:
        return NoiseCase(source(), HotelReservation(), excluded_component="geo")
