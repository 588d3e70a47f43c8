"""The contracts that this package must hold to, in a running application."""

from __future__ import annotations

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec
from sregym_noise_kubernetes.churn import ContainerKill, PodFailure, PodRestart
from sregym_noise_kubernetes.deploys import Autoscaling, InnocentDeploy, LabelEdit
from sregym_noise_kubernetes.leftovers import Decoys, Zombies
from sregym_noise_kubernetes.maintenance import Backup, CertificateRenewal, NodeDrain
from sregym_testing import NoiseCase, NoiseContract, PluginContract

SOURCES = (
    ContainerKill,
    PodFailure,
    PodRestart,
    Autoscaling,
    InnocentDeploy,
    LabelEdit,
    Decoys,
    Zombies,
    Backup,
    CertificateRenewal,
    NodeDrain,
)


class TestPlugin(PluginContract):
    distribution = "sregym-noise-kubernetes"


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
