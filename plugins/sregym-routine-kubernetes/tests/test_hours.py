"""Containers end in the last hours before a fault: of few parts, and of each problem others."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

from sregym_core.conductor.journal import UndoJournal
from sregym_routine_kubernetes.hours import READY_S, SPAN_S, ends, live_last_hours
from sregym_testing import FullShop, MemoryCluster, Program

PARTS = FullShop().components()
PROGRAMS = {part.image: Program(start_s=1.0, memory_mib=32.0) for part in PARTS}


def ended(seed: str) -> list[tuple[float, str]]:
    """When a container of which part ends within 9000 seconds."""
    due = ends(MemoryCluster(), PARTS, 9000.0, Random(seed))
    return [(moment, act.args[1].name) for moment, act in due]  # type: ignore[attr-defined]


def test_of_two_parts_they_end_more_often_than_a_kubelet_starts_what_crashes_since_a_fault() -> (
    None
):
    worst = Counter[str]()
    for number in range(200):
        counts = Counter(name for _, name in ended(f"problem {number}"))
        (name, most), (_, second), *others = counts.most_common()
        assert 9 <= second <= most <= 13
        assert len(others) <= 1
        assert all(2 <= count <= 6 for _, count in others)
        worst[name] += 1
    assert {*worst} == {part.name for part in PARTS}
    assert max(worst.values()) < 3 * min(worst.values())


def test_two_ends_of_a_part_are_never_close_together() -> None:
    """Nobody then waits longer for its next start than some seconds."""
    for number in range(50):
        moments: dict[str, list[float]] = {}
        for moment, name in ended(f"problem {number}"):
            assert 0.0 <= moment <= 9000.0
            moments.setdefault(name, []).append(moment)
        for each in moments.values():
            assert all(later - one > 120.0 for one, later in pairwise(each))


def test_they_follow_from_the_seed() -> None:
    assert ended("seed 1, p") == ended("seed 1, p")
    assert ended("seed 1, p") != ended("seed 1, q")


def test_hours_pass_and_at_their_end_all_is_calm() -> None:
    cluster = MemoryCluster(PROGRAMS)
    FullShop().deploy(cluster)
    cluster.clock.advance(60.0)
    before = cluster.clock.now()
    live_last_hours(cluster, FullShop(), UndoJournal(), "seed 1, p")
    assert FullShop().ready(cluster) == []
    assert SPAN_S[0] <= cluster.clock.now() - before <= SPAN_S[1] + READY_S
