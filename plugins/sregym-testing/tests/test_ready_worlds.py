"""Applications are brought up once, and no test sees what another did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec
from sregym_testing import MemoryCluster, MemoryProvider, ReadyWorlds, Shop
from sregym_testing.worlds import ready_world

WORKLOAD = Shop().components()[0].workload


class Counting(MemoryProvider):
    """Notes for which seeds clusters were made."""

    def __init__(self) -> None:
        super().__init__()
        self.seeds: list[int] = []

    def provision(self, spec: ClusterSpec) -> Cluster:
        self.seeds.append(spec.seed)
        return super().provision(spec)


class LargerShop(Shop):
    def manifests(self) -> list[dict[str, Any]]:
        found = super().manifests()
        changed = [
            {**obj, "spec": {**obj["spec"], "replicas": 3}} for obj in found if _is_workload(obj)
        ]
        return [obj for obj in found if not _is_workload(obj)] + changed


def _is_workload(obj: object) -> bool:
    return isinstance(obj, dict) and obj["metadata"]["name"] == WORKLOAD.name and "spec" in obj


@pytest.fixture
def provider() -> Counting:
    return Counting()


@pytest.fixture
def worlds(provider: Counting) -> Iterator[ReadyWorlds]:
    made = ReadyWorlds(provider)
    yield made
    made.close()


def test_no_test_sees_what_another_did(worlds: ReadyWorlds) -> None:
    first = ready_world(Shop(), worlds)
    began, objects = first.cluster.clock.now(), dict(first.objects)
    first.cluster.delete(WORKLOAD)
    first.cluster.clock.advance(60.0)
    assert isinstance(first.objects, dict)
    first.objects[str(WORKLOAD)]["metadata"]["name"] = "scribbled"
    del first.objects[next(name for name in first.objects if name != str(WORKLOAD))]
    assert first.changes() != []
    second = ready_world(Shop(), worlds)
    assert (second.cluster.clock.now(), second.changes()) == (began, [])
    assert sorted(second.objects) == sorted(objects)
    assert second.objects[str(WORKLOAD)]["metadata"]["name"] == WORKLOAD.name
    assert second.cluster.get(WORKLOAD) is not None
    # Neither does the first one see what the second does.
    assert first.cluster.get(WORKLOAD) is None
    worlds.close()
    assert ready_world(Shop(), worlds).changes() == []


def test_a_world_is_made_once_for_each_application_and_seed(
    worlds: ReadyWorlds, provider: Counting
) -> None:
    for seed in (7, 7, 8, 7):
        ready_world(Shop(), worlds, seed)
    assert provider.seeds == [7, 8]
    larger = ready_world(LargerShop(), worlds)
    assert provider.seeds == [7, 8, 7]
    found = larger.cluster.get(WORKLOAD)
    assert found is not None
    assert found["spec"]["replicas"] == 3


def test_the_same_kind_in_another_form_is_another_world(
    worlds: ReadyWorlds, provider: Counting
) -> None:
    changed = Shop()
    ready_world(changed, worlds)
    manifests = changed.manifests()[:-1]
    changed.manifests = lambda: manifests  # type: ignore[method-assign]  # as an option would do
    ready_world(changed, worlds)
    assert provider.seeds == [7, 7]


def test_what_cannot_be_forked_is_made_each_time() -> None:
    class Unforkable(MemoryCluster):
        def checkpoint(self) -> Checkpoint | None:  # type: ignore[override]  # as real clusters do
            return None

    class Provider(Counting):
        def provision(self, spec: ClusterSpec) -> Cluster:
            super().provision(spec)
            return Unforkable()

    provider = Provider()
    worlds = ReadyWorlds(provider)
    first, second = (ready_world(Shop(), worlds) for _ in range(2))
    first.cluster.delete(WORKLOAD)
    assert second.cluster.get(WORKLOAD) is not None
    assert provider.seeds == [7, 7]


def test_what_was_made_first_gives_way(
    monkeypatch: pytest.MonkeyPatch, worlds: ReadyWorlds, provider: Counting
) -> None:
    size = len(Shop().components())
    monkeypatch.setattr("sregym_testing.worlds.COMPONENTS_KEPT", 2 * size)
    for seed in (1, 2, 3, 3, 2, 1):
        assert ready_world(Shop(), worlds, seed).changes() == []
    assert provider.seeds == [1, 2, 3, 1]


def test_those_of_a_test_are_closed_at_its_end() -> None:
    closed: list[str] = []

    class Noting(MemoryCluster):
        def close(self) -> None:
            closed.append("closed")

    class Provider(MemoryProvider):
        def provision(self, spec: ClusterSpec) -> Cluster:
            return Noting()

    worlds = ReadyWorlds(Provider())
    worlds(ClusterSpec(seed=1))
    worlds.close()
    worlds.close()
    assert closed == ["closed"]


@pytest.fixture(scope="session")
def ready_worlds_by_kind() -> Callable[[str], ReadyWorlds]:
    """One kind, which no plugin has to offer."""
    kept = ReadyWorlds(MemoryProvider())
    return lambda _name: kept


@pytest.mark.parametrize("time", ["first", "second"])
def test_of_one_session_in_several_tests(
    ready_worlds: Callable[[str], ReadyWorlds], time: str
) -> None:
    world = ready_world(Shop(), ready_worlds("memory"))
    assert world.changes() == []
    world.cluster.delete(WORKLOAD)
    assert world.changes() != [], time


def test_a_world_knows_the_application_it_was_asked_for(worlds: ReadyWorlds) -> None:
    first, second = Shop(), Shop()
    assert ready_world(first, worlds).application is first
    found = ready_world(second, worlds)
    assert found.application is second
    assert replace(found, application=first).changes() == []
