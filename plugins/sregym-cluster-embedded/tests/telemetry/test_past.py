"""What objects were in the past."""

from __future__ import annotations

from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.object_history import Past, Version
from sregym_cluster_embedded.world import SimulationSpec, World

KEY = Key("configmaps", "default", "colours")


def config(value: str) -> dict[str, object]:
    return {"metadata": {"name": "colours", "namespace": "default"}, "data": {"sky": value}}


def seen(past: Past, *moments: float) -> list[str | None]:
    line = past.one(KEY)
    found = [line.at(moment) for moment in moments]
    return [None if obj is None else obj["data"]["sky"] for obj in found]


def painted() -> World:
    world = World(SimulationSpec(), 0, 0)
    world.store.put("configmaps", {**config("other"), "metadata": {"name": "a", "namespace": "x"}})
    world.run_until(10.0)
    world.store.put("configmaps", config("grey"))
    world.run_until(20.0)
    world.store.put("configmaps", config("pink"))
    world.store.put("configmaps", config("blue"))
    world.run_until(30.0)
    world.store.delete(KEY)
    world.run_until(40.0)
    return world


def test_each_version_stands_from_its_write_to_the_next() -> None:
    past = Past(painted())
    assert seen(past, 9.9, 10.0, 19.9, 20.0, 29.9, 30.0, 40.0) == [
        None, "grey", "grey", "blue", "blue", None, None,
    ]  # fmt: skip
    spans = [(start, end, obj["data"]["sky"]) for start, end, obj in past.one(KEY).spans(40.0)]
    assert spans == [(10.0, 20.0, "grey"), (20.0, 30.0, "blue")]


def test_what_the_history_does_not_reach_was_there_before() -> None:
    world = painted()
    world.store.put("configmaps", config("red"))
    world.run_until(50.0)
    changed = world.store.put("configmaps", config("dark"))
    world.store.history[:] = world.store.history[-1:]
    line = Past(world).one(KEY)
    assert [
        (version.since, version.obj["data"]["sky"]) for version in line.versions if version.obj
    ] == [
        (float("-inf"), "red"),
        (50.0, "dark"),
    ]
    assert line.versions[-1] == Version(50.0, changed)


def test_a_fork_has_a_past_of_its_own() -> None:
    world = painted()
    fork = world.fork()
    fork.store.put("configmaps", config("gold"))
    assert seen(Past(fork), 40.0) == ["gold"]
    assert seen(Past(world), 40.0) == [None]
    assert [line.key.name for line in Past(world).of("configmaps")] == ["colours", "a"]
