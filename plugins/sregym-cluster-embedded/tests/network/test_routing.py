"""Which nodes have routes to each other's pods, and which addresses pods get."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.network import addresses, routing
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.store import Key

ONE, TWO = "node1", "node2"


def annotate(town: Any, node: str, **said: str) -> None:
    """Give a Node these annotations about route reflectors and no others."""
    held = town.world.store.get(Key("nodes", "", node))
    annotations = {f"kube-router.io/rr.{name}": value for name, value in said.items()}
    metadata = {**held["metadata"], "annotations": annotations}
    internal_client.update(town.world, "nodes", {**held, "metadata": metadata})


def outcome(town: Any, source: str, host: str) -> str:
    found = town.world.store.get(Key("pods", "shop", source))
    return str(town.world.service(NETWORK).dial(town.world, found, host, 8080).outcome)


def address(town: Any, pod: str) -> str:
    return str(town.world.store.get(Key("pods", "shop", pod))["status"]["podIP"])


def test_clients_of_a_reflector_that_is_not_there_have_no_routes(town: Any) -> None:
    world = town.world
    assert outcome(town, "far", address(town, "one")) == "connected"
    annotate(town, TWO, client="42")
    # It is what it was when its router started.
    assert not routing.lost(world, TWO, ONE)
    assert routing.started(world, TWO) == routing.Role(client="42")
    assert (routing.lost(world, TWO, ONE), routing.lost(world, ONE, TWO)) == (True, True)
    assert not routing.lost(world, TWO, TWO)
    assert outcome(town, "far", address(town, "one")) == "unreachable"
    annotate(town, ONE, server="42")
    assert not routing.lost(world, TWO, ONE)  # others see at once that there is a reflector
    assert outcome(town, "far", address(town, "one")) == "connected"
    annotate(town, TWO)
    routing.started(world, TWO)
    annotate(town, ONE)
    assert not routing.lost(world, TWO, ONE)


def test_a_reflector_passes_on_what_its_clients_say(town: Any) -> None:
    world = town.world
    internal_client.create(world, "nodes", {"metadata": {"name": "node3"}, "spec": {}})
    for node in (ONE, TWO):
        annotate(town, node, client="7")
        routing.started(world, node)
    annotate(town, "node3", server="7")
    assert routing.lost(world, ONE, TWO)  # node3 does not know yet that it reflects
    assert not routing.lost(world, ONE, "node3")
    assert routing.started(world, "node3") == routing.Role(server="7")
    assert not routing.lost(world, ONE, TWO)


@pytest.mark.parametrize(
    ("first", "last", "given"),
    [
        ("", "", ["10.244.9.2", "10.244.9.3", "10.244.9.4", "10.244.9.5"]),
        ("", "10.244.9.3", ["10.244.9.2", "10.244.9.3", None, None]),
        ("10.244.9.20", "10.244.9.21", ["10.244.9.20", "10.244.9.21", None, None]),
        ("", "10.244.9.1", [None] * 4),
    ],
)
def test_a_range_may_be_smaller_than_the_subnet(
    town: Any, first: str, last: str, given: list[str | None]
) -> None:
    world = town.world
    node = {"metadata": {"name": "small"}, "spec": {"podCIDR": "10.244.9.0/24"}}
    internal_client.create(world, "nodes", node)
    addresses.limit(world, "small", first, last)
    keys = [Key("pods", "shop", f"p{number}") for number in range(4)]
    assert [addresses.assign(world, "small", key) for key in keys] == given
