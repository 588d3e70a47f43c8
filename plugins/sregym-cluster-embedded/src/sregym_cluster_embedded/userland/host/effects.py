"""What follows from files that are written on a node, for those who read them while they run."""

from __future__ import annotations

import json
import posixpath
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubelet.broken_parts import NETWORK, network_problem, node_problems
from sregym_cluster_embedded.machines import MACHINE_CHANGED
from sregym_cluster_embedded.network import addresses
from sregym_cluster_embedded.node.kubelets import set_network_plugin
from sregym_cluster_embedded.userland.host.image import CNI_FOLDER

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.world import World

# Changes of the disk's use that a kubelet would not notice.
_NOTICED_BYTES = 1 << 20


def hidden(world: World, node: str, place: str) -> bool:
    """Whether a file that was installed has gone since, without anybody having removed it here.

    A container runtime whose network plugin is not initialised has no configuration of it.
    """
    if not place.startswith(f"{CNI_FOLDER}/"):
        return False
    return NETWORK in node_problems(world, node)


def written(
    world: World, node: str, files: Files, place: str, before: Inode | None, after: Inode | None
) -> None:
    """A file of a node was written, or removed."""
    if posixpath.dirname(place) == CNI_FOLDER:
        _network_configured(world, node, files)
    grown = (after.size if after is not None else 0) - (before.size if before is not None else 0)
    notice = world.service_or_none(MACHINE_CHANGED)
    if abs(grown) >= _NOTICED_BYTES and notice is not None:
        notice(world, node)


def _network_configured(world: World, node: str, files: Files) -> None:
    """The runtime loads a network configuration as soon as there is a valid one."""
    valid = [
        found
        for name in sorted(files.listing(CNI_FOLDER) or ())
        if name.endswith((".conf", ".conflist", ".json"))
        and (found := _content(files.read(f"{CNI_FOLDER}/{name}") or ""))
    ]
    ready = bool(valid)
    addresses.limit(world, node, *(_limits(valid[0]) if valid else ("", "")))
    if ready == bool(network_problem(world, node)):
        set_network_plugin(world, node, ready)


def _content(text: str) -> dict[str, Any] | None:
    """A network configuration; None for what is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    good = isinstance(content, dict) and bool(content.get("plugins") or content.get("type"))
    return content if good else None


def _limits(configuration: dict[str, Any]) -> tuple[str, str]:
    """The first and last address of the range of `host-local`, where they are not those of the subnet."""
    for plugin in configuration.get("plugins") or (configuration,):
        ipam = plugin.get("ipam") or {}
        for ranges in (*(ipam.get("ranges") or ()), [ipam]):
            for entry in ranges:
                found = str(entry.get("rangeStart", "")), str(entry.get("rangeEnd", ""))
                if any(found) and all(map(_is_address, found)):
                    return found
    return "", ""


def _is_address(text: str) -> bool:
    try:
        return not text or bool(ip_address(text))
    except ValueError:
        return False
