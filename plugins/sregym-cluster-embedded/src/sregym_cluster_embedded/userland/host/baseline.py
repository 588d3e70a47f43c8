"""How the nodes are, as a value: to compare it with how they were, and to make them so again."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet.runtime import host_ref
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.node.power import power_on
from sregym_cluster_embedded.userland.files.view import LAYERS
from sregym_cluster_embedded.userland.host import services
from sregym_cluster_embedded.userland.host.files import HostFiles, host_files
from sregym_cluster_embedded.userland.host.node import Host
from sregym_cluster_embedded.userland.host.units import (
    ACTIVE,
    CONTAINERD,
    KUBELET,
    PROXY,
    as_installed,
    changed_units,
    keep,
    status,
    unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.machines import Machine
    from sregym_cluster_embedded.network.links import Link
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.world import World


class Nodes(NamedTuple):
    """All nodes at one moment.

    Attributes:
        machines: Their clocks, disks, kernel parameters, by node.
        files: What was written to their disks, by node and path.
        units: (state, enabled, masked) of services that were changed, by node and name.
        links: Links of the network that are set.
    """

    machines: Mapping[str, Machine]
    files: Mapping[str, Mapping[str, Inode | None]]
    units: Mapping[tuple[str, str], tuple[str, bool | None, bool]]
    links: Mapping[tuple[str, str], Link]


def nodes_now(world: World) -> Nodes:
    """How the nodes are now."""
    known = {machine.name: machine for machine in machines.machines(world)}
    layers = world.table(LAYERS)
    files = {name: dict(layers.get(host_ref(name), {})) for name in known}
    units = {key: _unit(world, *key) for key in changed_units(world)}
    return Nodes(known, files, units, links.links(world))


def _unit(world: World, node: str, name: str) -> tuple[str, bool | None, bool]:
    present = status(world, node, name)
    return present.state, present.enabled, present.masked


def digests(world: World) -> dict[str, str]:
    """What differs on the nodes from how they were installed, by name, for comparison."""
    present = nodes_now(world)
    found: dict[str, str] = {}
    for node, files in present.files.items():
        if files:
            told = sorted(
                (path, repr(inode and inode._replace(mtime=0.0))) for path, inode in files.items()
            )
            found[f"files of node {node}"] = _digest(told)
    for (node, name), how in present.units.items():
        if how != _unit_as_installed(name):
            found[f"{name} of node {node}"] = _digest(how)
    return found


def _unit_as_installed(name: str) -> tuple[str, bool | None, bool]:
    return as_installed(name).state, None, False


def _digest(value: object) -> str:
    return blake2b(repr(value).encode(), digest_size=16).hexdigest()


def restore(world: World, before: Nodes) -> None:
    """Make the nodes as they were: files, services, links, clocks, disks, kernel parameters."""
    for key in links.links(world).keys() - before.links.keys():
        links.clear_link(world, *key)
    for key, link in before.links.items():
        if links.links(world).get(key) != link:
            links.set_link(world, *key, link)
    for node, machine in before.machines.items():
        present = machines.machine(world, node)
        if present is None:
            continue
        if machine.powered and not present.powered:
            power_on(world, node)
        wanted = {name: getattr(machine, name) for name in _FIELDS}
        if any(getattr(present, name) != value for name, value in wanted.items()):
            machines.change(world, node, **wanted)
        _restore_files(world, node, before.files.get(node, {}))
    # Those of the cluster may have been stopped past their service manager.
    own = {(node, name) for node in before.machines for name in (KUBELET, CONTAINERD, PROXY)}
    for node, name in sorted({*changed_units(world), *before.units, *own}):
        _restore_unit(world, node, name, before.units.get((node, name), _unit_as_installed(name)))


# What a user of the node can change of it.
_FIELDS = (
    "disks",
    "clock_offset_s",
    "other_connections",
    "sysctls",
    "kubelet_configuration",
    "other_cores",
    "other_mbit",
    "other_memory_kib",
)


def _restore_files(world: World, node: str, before: Mapping[str, Inode | None]) -> None:
    present = dict(world.table(LAYERS).get(host_ref(node), {}))
    differing = [
        path
        for path in {**present, **before}
        if (path in present) != (path in before) or present.get(path) != before.get(path)
    ]
    if not differing:
        return
    files = HostFiles(Host(world, node))
    for path in sorted(differing):
        files.give_back(path, before.get(path), installed=path not in before)


def _restore_unit(
    world: World, node: str, name: str, before: tuple[str, bool | None, bool]
) -> None:
    state, enabled, masked = before
    files = host_files(world, node)
    unit = unit_of(files, name)
    present = status(world, node, name)
    if unit is not None and state == ACTIVE:
        keep(world, node, name, masked=False, state=present.state)
        services.make_run(world, node, files, unit)
    elif unit is not None and present.state == ACTIVE:
        services.stop(world, node, unit)
    keep(world, node, name, enabled=enabled, masked=masked, restarts=0)
