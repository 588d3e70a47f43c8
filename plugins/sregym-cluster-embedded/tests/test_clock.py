"""The lowest layer: events in order of time, state that forks share, chance that stays the same."""

from __future__ import annotations

from hashlib import blake2b

from sregym_cluster_embedded.clock import Event, EventHeap, Seed, SharedCache, SharedGroups


def test_events_come_in_order_up_to_a_moment_and_not_when_cancelled() -> None:
    heap = EventHeap()
    heap.schedule(3.0, "late")
    cancelled = heap.schedule(1.0, "cancelled")
    heap.schedule(2.0, "second", "a")
    heap.schedule(2.0, "third")
    heap.cancel(cancelled)
    assert heap.pop_until(1.5) is None
    assert heap.now == 0.0
    assert heap.pop_until(2.0) == Event(2.0, 3, "second", ("a",))
    assert heap.now == 2.0
    assert [heap.pop_until(9.0), heap.pop_until(9.0), heap.pop_until(9.0)] == [
        Event(2.0, 4, "third", ()),
        Event(3.0, 1, "late", ()),
        None,
    ]
    assert heap.now == 3.0


def test_forks_share_groups_until_one_of_them_writes() -> None:
    groups: SharedGroups[str, str, int] = SharedGroups()
    groups.write("a")["x"] = 1
    groups.write("b")
    twin = groups.fork()
    assert twin.read("a") is groups.read("a")
    twin.write("a")["x"] = 2
    groups.write("a")["y"] = 3
    assert (dict(groups.read("a")), dict(twin.read("a"))) == ({"x": 1, "y": 3}, {"x": 2})
    assert (dict(groups.read("none")), sorted(groups.groups())) == ({}, ["a"])
    # What was asked for in writing before the fork is not what is written after it.
    third = twin.fork()
    twin.write("a")["x"] = 4
    assert dict(third.read("a")) == {"x": 2}


def test_chance_is_the_keyed_hash_of_what_it_is_for() -> None:
    def digest(seed: int, text: str, size: int) -> bytes:
        key = seed.to_bytes(16, "big", signed=True)
        return blake2b(text.encode(), key=key, digest_size=size).digest()

    seed = Seed(7)
    assert seed.fraction("a", 1) == int.from_bytes(digest(7, "a\0001", 7), "big") / 2**56
    assert seed.hexadecimal(8) == digest(7, "draw 1", 4).hex()
    drawn = digest(7, "draw 2", 16)
    uid = seed.uid()
    assert uid.replace("-", "")[:12] == drawn.hex()[:12]
    assert (uid[14], uid[19]) == ("4", "89ab"[int(drawn.hex()[16], 16) & 3])
    assert Seed(7, 2).fork(8).hexadecimal(8) == digest(8, "draw 3", 4).hex()


def test_findings_are_found_again_by_the_very_objects_that_they_were_made_of() -> None:
    shared_cache, made = SharedCache(most=3), list[list[int]]()

    def found(key: str, basis: list[list[int]]) -> int:
        def work_out() -> int:
            made.append(basis[0])
            return len(made)

        return shared_cache.found(key, basis, work_out)

    one, alike = [1], [1]
    assert [found("a", [one]), found("a", [one]), found("a", [alike]), found("b", [one])] == [
        1,
        1,
        2,
        3,
    ]
    assert (shared_cache.known("a", [alike]), shared_cache.known("b", [alike])) == (2, None)
    # With one more than are kept, all are forgotten.
    assert [found("c", [one]), shared_cache.known("a", [one]), found("a", [one])] == [4, None, 5]
