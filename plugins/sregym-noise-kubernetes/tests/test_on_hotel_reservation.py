"""The noise in a running application: users hardly feel it, and it heals by itself."""

from __future__ import annotations

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, NoiseContext
from sregym_noise_kubernetes.churn import PodRestart


def test_every_service_comes_back():
    application, noise = HotelReservation(), PodRestart()
    cluster = Embedded().provision(ClusterSpec(seed=7, applications=(application,)))
    application.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not application.ready(cluster), 600.0, 2.0)
    context, at_s, hit = NoiseContext(cluster, application, ("geo",), 7), 0.0, []
    for _ in range(12):
        later_s = noise.next_at(context, at_s)
        assert later_s is not None
        cluster.clock.advance(later_s - at_s)
        at_s = later_s
        assert application.ready(cluster) == []
        assert application.traffic(cluster, 30.0).success_rate >= 0.995
        hit.append(noise.disturb(context, at_s).rpartition(" ")[2])
    services = [part.name for part in application.components() if part.kind == "service"]
    assert [name for name in dict.fromkeys(hit) if name == "geo" or name not in services] == []
    assert len(dict.fromkeys(hit)) > 3
    cluster.close()
