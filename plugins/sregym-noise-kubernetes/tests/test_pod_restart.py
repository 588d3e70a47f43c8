from __future__ import annotations

from itertools import pairwise

import pytest
from sregym_core.interfaces import NoiseContext
from sregym_noise_kubernetes.churn import PodRestart
from sregym_testing import FullShop, MemoryCluster

component = FullShop().component

NOISE = PodRestart()


@pytest.fixture
def cluster() -> MemoryCluster:
    cluster = MemoryCluster()
    FullShop().deploy(cluster)
    cluster.clock.advance(1.0)
    return cluster


def moments(context, number):
    at_s, found = 0.0, []
    for _ in range(number):
        at_s = NOISE.next_at(context, at_s)
        found.append(at_s)
    return found


def pods(cluster):
    return [pod["metadata"]["name"] for pod in cluster.list("v1", "Pod")]


@pytest.mark.parametrize(("level", "low", "high"), [(1, 700, 1000), (2, 420, 600), (3, 245, 350)])
def test_the_schedule_keeps_its_bounds(cluster, level, low, high):
    for seed in range(20):
        context = NoiseContext(cluster, FullShop(), (), seed, level)
        found = moments(context, 8)
        assert 60.0 <= found[0] <= 180.0
        assert [low - 0.01 <= b - a <= high + 0.01 for a, b in pairwise(found)] == [True] * 7


def test_one_pod_of_a_service_goes_and_comes_back(cluster):
    context = NoiseContext(cluster, FullShop(), (), 7)
    before = pods(cluster)
    said = NOISE.disturb(context, moments(context, 1)[0])
    (gone,) = [name for name in before if name not in pods(cluster)]
    owner = gone.split("-")[0]
    assert said == f"pod-restart: deleted Pod shop/{gone} of component {owner}"
    assert context.subjects == [owner, gone]
    assert owner in ("catalog", "front")
    cluster.clock.advance(1.0)
    assert pods(cluster) == before


def test_all_services_have_their_turn_and_nobody_else(cluster):
    said = []
    for seed in range(20):
        context = NoiseContext(cluster, FullShop(), (), seed)
        said.append(NOISE.disturb(context, moments(context, 3)[2]).split()[-1])
        cluster.clock.advance(1.0)
    assert sorted(dict.fromkeys(said)) == ["catalog", "front"]


def test_what_is_not_ready_is_left_alone(cluster):
    cluster.programs = {}  # no image can be pulled any more
    for name in ("catalog", "front"):
        labels = {"template": {"metadata": {"labels": {"new": "yes"}}}}
        cluster.patch(
            component(name).workload, {"spec": {**labels, "strategy": {"type": "Recreate"}}}
        )
    cluster.clock.advance(1.0)
    before = pods(cluster)
    context = NoiseContext(cluster, FullShop(), (), 7)
    assert NOISE.disturb(context, 1000.0) == "pod-restart: nobody can be disturbed now"
    assert pods(cluster) == before
