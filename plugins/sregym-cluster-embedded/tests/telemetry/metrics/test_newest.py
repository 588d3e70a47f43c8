"""The newest samples are found without those before them, and are the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.userland.kinds import with_in_tree
from sregym_cluster_embedded.world import World
from sregym_promql import Engine, Labels, Matcher, StoredSeries


class All:
    """A storage that always hands out all samples."""

    def __init__(self, world: World) -> None:
        self._storage = WorldStorage(world)

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        return self._storage.select(matchers, start_ms, end_ms)


def shown(engine: Engine, query: str, at: float) -> list[tuple[Labels, str]]:
    return [(labels, repr(value)) for labels, value in engine.instant(query, at).rows]


def _scaled(booth: Any) -> None:
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=1))


def _deleted(booth: Any) -> None:
    booth.delete("services", "stock")
    for pod in booth.pods("stock"):
        booth.delete("pods", pod)


# What looks back over a window has more to go by when it is given more.
_OF_WINDOWS = {"container_memory_max_usage_bytes"}


@pytest.mark.parametrize("change", [_scaled, pytest.param(_deleted, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "lookbacks",
    [(300.0, 9.0), pytest.param((9.0, 300.0), marks=pytest.mark.thorough)],
    ids=["long-first", "short-first"],
)
def test_newest_samples_are_those_of_all_samples(
    booth: Any, change: Callable[[Any], None], lookbacks: tuple[float, float]
) -> None:
    """At moments that take turns with how far is looked back."""
    begin = booth.world.now
    change(booth)
    booth.run(100)
    names = ["up", *sorted(set(Catalogue(with_in_tree()).by_sample) - _OF_WINDOWS)]
    compared = 0
    for number, second in enumerate((-100.25, 3, 17, 40, 100, 130)):
        at = booth.world.epoch + begin + second
        lookback = lookbacks[number % 2]
        quick = Engine(WorldStorage(booth.world), lookback_s=lookback)
        slow = Engine(All(booth.world), lookback_s=lookback)
        for name in names:
            expected = shown(slow, name, at)
            assert shown(quick, name, at) == expected
            compared += len(expected)
        for query in (
            "timestamp(kube_pod_info)",
            '{__name__=~"up|kube_pod_info|scrape_series_added"}',
            'up{job="kubelet"} or up{namespace="booth"}',
            'kube_pod_status_phase{phase="Running"} == 1',
        ):
            assert shown(Engine(WorldStorage(booth.world)), query, at) == shown(
                Engine(All(booth.world)), query, at
            )
    assert compared > 5000
