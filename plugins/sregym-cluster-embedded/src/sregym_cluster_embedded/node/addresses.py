"""Addresses of nodes, and the ranges of their pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World


def free_address(world: World) -> str:
    """An address for the next node, in the network (/16) of those that are there."""
    present = {machine.address for machine in machines.machines(world)}
    first, second, *_ = machines.control_plane_address(world).split(".")
    number = len(present)
    while (address := f"{first}.{second}.{number // 250}.{number % 250 + 2}") in present:
        number += 1
    return address


def gateway_of(address: str) -> str:
    """The way out of the network of a node's address."""
    first, second, *_ = address.split(".")
    return f"{first}.{second}.0.1"


def network_of(address: str) -> str:
    """The network of a node's address."""
    first, second, *_ = address.split(".")
    return f"{first}.{second}.0.0/16"


def pod_network(number: int) -> str:
    """The pod range of the node with this number, from 0."""
    return f"10.{244 + number // 256}.{number % 256}.0/24"
