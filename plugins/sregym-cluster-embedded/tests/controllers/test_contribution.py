"""Merging the parts of a cluster."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.keys import LOGS
from sregym_cluster_embedded.store import Change
from sregym_cluster_embedded.subsystem import Subsystem, build_spec
from sregym_cluster_embedded.world import World


def test_a_name_that_is_offered_twice_is_refused() -> None:
    first = Subsystem("one", services=LOGS.offer(print))
    second = Subsystem("two", services=LOGS.offer(print))
    with pytest.raises(ValueError) as refused:
        build_spec([first, second])
    assert str(refused.value) == (
        "subsystem 'two' offers the service 'logs' that another offers already"
    )


def test_followers_hear_only_of_their_resource() -> None:
    heard: list[str] = []

    def follow(world: World, change: Change) -> None:
        heard.append(f"follower {change.key.resource}")

    def listen(world: World, change: Change) -> None:
        heard.append(f"listener {change.key.resource}")

    part = Subsystem("part", followers={"pods": (follow,)}, listeners=(listen,))
    world = World(build_spec([part]), 1, 0)
    for resource in ("pods", "events"):
        world.store.put(resource, {"metadata": {"name": "a", "namespace": "b"}})
    assert heard == ["follower pods", "listener pods", "listener events"]
