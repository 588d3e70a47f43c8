"""Programs write about any part, seldom each, and nothing that runs changes by it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from sregym_routine_kubernetes import programs
from sregym_routine_kubernetes.incidental import listed
from sregym_testing import FullShop, MemoryCluster

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

PREFIX = "platform.example.com/"


def written(seed: str, count: int) -> tuple[MemoryCluster, dict[ObjectRef, KubeObject | None]]:
    """A shop about which so many programs have written, and what was there before."""
    cluster = MemoryCluster()
    before: dict[ObjectRef, KubeObject | None] = {}
    FullShop().deploy(cluster)
    due = programs.writes(
        cluster, listed(FullShop()), 60.0, (count, count), Random(seed), before.setdefault
    )
    for moment, act in sorted(due, key=lambda one: one[0]):
        assert 0.0 <= moment <= 60.0
        act()
    return cluster, before


def notes(obj: KubeObject | None) -> dict[str, str]:
    """What programs have noted about an object."""
    assert obj is not None
    annotations = obj["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key.startswith(PREFIX)}


def test_each_writes_once_and_only_a_note() -> None:
    cluster, before = written("1", len(programs.PROGRAMS))
    found: list[str] = []
    for ref, old in before.items():
        live = cluster.get(ref)
        assert live is not None
        assert old is not None
        assert notes(old) == {}
        found += notes(live)
        assert {k: v for k, v in live.items() if k not in ("metadata", "status")} == {
            k: v for k, v in old.items() if k not in ("metadata", "status")
        }
    assert sorted(found) == sorted(f"{PREFIX}{one.note}" for one in programs.PROGRAMS)


def test_they_follow_from_the_seed() -> None:
    first, again, other = (written(seed, 5)[1] for seed in ("1", "1", "2"))
    assert [*first] == [*again]
    assert [*first] != [*other]


def test_clients_and_accounts_are_all_different() -> None:
    for field in ("account", "agent", "manager", "note"):
        assert len({getattr(one, field) for one in programs.PROGRAMS}) == len(programs.PROGRAMS)
