"""What people begin after a fault: by lot any part's, and nothing that says which part is broken."""

from __future__ import annotations

from collections import Counter
from random import Random

from sregym_core.conductor.journal import UndoJournal
from sregym_routine_kubernetes.mishaps import await_pods, needed, pods_are_missing
from sregym_routine_kubernetes.schedule import renewed_after, rollouts_begun, routine_after
from sregym_testing import FullShop, MemoryCluster, Program

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
PROGRAMS = {part.image: Program(start_s=1.0, memory_mib=32.0) for part in FullShop().components()}


def shop() -> MemoryCluster:
    """A shop that is ready."""
    cluster = MemoryCluster(PROGRAMS)
    FullShop().deploy(cluster)
    cluster.clock.advance(60.0)
    assert FullShop().ready(cluster) == []
    return cluster


def restarted(cluster: MemoryCluster) -> set[str]:
    """The parts whose pods somebody has restarted."""
    found = set()
    for part in FullShop().components():
        workload = cluster.get(part.workload)
        assert workload is not None
        metadata = workload["spec"]["template"].get("metadata") or {}
        if RESTARTED_AT in (metadata.get("annotations") or {}):
            found.add(part.name)
    return found


def test_nobody_else_has_new_pods_about_as_seldom_as_a_draw_by_lot_hits() -> None:
    parts = [FullShop().components()[0]] * 12
    counts = Counter(
        len(renewed_after(parts, 20, Random(f"draw {number}"))) for number in range(4000)
    )
    assert 0.055 < counts[0] / 4000 < 0.095
    assert sorted(counts) == [*range(9)]
    assert all(0.09 < counts[number] / 4000 < 0.14 for number in range(1, 9))
    assert len(renewed_after(parts[:2], 20, Random("few"))) <= 2


def test_rollouts_begin_where_something_is_not_ready() -> None:
    cluster, journal = shop(), UndoJournal()
    broken = FullShop().component("catalog")
    assert broken is not None
    rollouts_begun(cluster, FullShop(), journal, (broken.name,), "seed 1")
    assert restarted(cluster) == set()
    containers = [{"name": broken.container, "image": "registry.example.com/none:1"}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    cluster.patch(broken.workload, patch, "strategic")
    cluster.clock.advance(5.0)
    before = cluster.clock.now()
    rollouts_begun(cluster, FullShop(), journal, (broken.name,), "seed 1")
    begun = restarted(cluster)
    assert begun
    assert broken.name not in begun
    assert 0.3 <= cluster.clock.now() - before <= 2.0
    assert journal.entries


def test_pods_that_do_not_come_are_missing() -> None:
    """Then whoever is replaced at once would not come back: only what is replaced one by one is."""
    cluster, parts = shop(), FullShop().components()
    assert not pods_are_missing(cluster, parts)
    containers = [{"name": parts[0].container, "image": "registry.example.com/none:1"}]
    patch = {"spec": {"replicas": 3, "template": {"spec": {"containers": containers}}}}
    cluster.patch(parts[0].workload, patch, "strategic")
    cluster.clock.advance(5.0)
    assert pods_are_missing(cluster, parts)
    assert not pods_are_missing(cluster, parts[1:])


def test_who_is_missed_is_waited_for_and_not_for_ever() -> None:
    cluster, application = shop(), FullShop()
    found = needed(cluster, application, ())
    # Of the front there are two, and nobody's request passes through the load generator.
    assert [part.name for part in found] == ["catalog", "catalog-db"]
    catalog = next(part for part in found if part.name == "catalog")
    before = cluster.clock.now()
    await_pods(cluster, found, 30.0)
    assert cluster.clock.now() == before
    containers = [{"name": catalog.container, "image": "registry.example.com/none:1"}]
    patch = {"spec": {"replicas": 3, "template": {"spec": {"containers": containers}}}}
    cluster.patch(catalog.workload, patch, "strategic")
    cluster.clock.advance(5.0)
    assert "catalog" not in {part.name for part in needed(cluster, application, ())}
    before = cluster.clock.now()
    await_pods(cluster, found, 30.0)
    assert cluster.clock.now() - before == 390.0


def test_of_who_suffers_nobody_is_waited_for() -> None:
    cluster, application = shop(), FullShop()
    load = next(part for part in application.components() if part.kind == "load")
    cluster.delete(load.workload)
    cluster.clock.advance(60.0)
    found = needed(cluster, application, ("catalog",))
    assert [part.name for part in found] == ["catalog-db"]


def test_what_comes_after_follows_from_the_problem_and_not_from_who_is_broken() -> None:
    """Whoever is spared gets no new pods, and is written to like all others."""

    def lived(spared: tuple[str, ...], whose: str) -> list[str]:
        cluster, journal = shop(), UndoJournal()
        routine_after(cluster, FullShop(), journal, spared, whose)
        assert restarted(cluster).isdisjoint(spared)
        return [entry["ref"]["name"] for entry in journal.entries if entry["op"] == "restore"]

    everybody = tuple(part.name for part in FullShop().components())
    told = [lived(everybody, f"seed {number}, p") for number in range(3)]
    assert told == [lived(everybody, f"seed {number}, p") for number in range(3)]
    assert told[0] != lived(everybody, "seed 0, q")
    owners = {name for names in told for name in names}
    assert {"front", "catalog", "catalog-db"} <= owners
