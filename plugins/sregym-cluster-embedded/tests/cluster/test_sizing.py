"""Workers by need, and their names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from sregym_cluster_embedded.cluster.sizing import unique, workers_for
from sregym_cluster_embedded.cluster.variety import control_plane, machines


def application(replicas: Any, cpu: str, memory: str) -> Any:
    requests = {"cpu": cpu, "memory": memory}
    pod = {"containers": [{"name": "app", "image": "app", "resources": {"requests": requests}}]}
    workload = {"kind": "Deployment", "spec": {"replicas": replicas, "template": {"spec": pod}}}
    return SimpleNamespace(manifests=lambda: [{"kind": "Service"}, workload])


@pytest.mark.parametrize(
    ("replicas", "cpu", "memory", "workers"),
    [
        (1, "100m", "1Gi", 3),
        (198, "10m", "10Mi", 3),
        (199, "10m", "10Mi", 4),
        (48, "500m", "10Mi", 5),
        (20, "10m", "10Gi", 11),
        (9000, "100m", "1Gi", 200),
        ("many", "100m", "1Gi", 3),
        (400, "a little", "1Gi", 3),
    ],
)
def test_as_many_workers_as_are_needed(replicas: Any, cpu: str, memory: str, workers: int) -> None:
    assert workers_for([application(replicas, cpu, memory)]) == workers


def test_workers_have_names_and_addresses_of_their_own() -> None:
    for seed in range(8):
        made = machines(seed, 100)
        assert len({spec.name for spec in made}) == len({spec.address for spec in made}) == 100
    assert unique(["a", "b", "a", "a"]) == ["a", "b", "a2", "a3"]


def test_workers_stand_in_two_zones_and_the_control_plane_in_a_third() -> None:
    region, zone = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"
    for seed in range(6):
        workers = machines(seed, 5)
        places = [spec.labels[zone] for spec in workers]
        lead = control_plane(seed, workers).labels
        assert len({*places}) == 2
        assert abs(2 * places.count(places[0]) - 5) == 1
        assert lead[zone] not in places
        assert {spec.labels[region] for spec in workers} == {lead[region]}
        assert all(place.startswith(lead[region]) for place in places)
