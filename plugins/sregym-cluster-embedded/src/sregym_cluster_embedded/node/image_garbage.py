"""Removes unused images when the disk of their node is nearly full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.images import IMAGES, SHOW
from sregym_cluster_embedded.kubelet.thresholds import image_limits
from sregym_cluster_embedded.kubelet.usage import pods_on
from sregym_cluster_embedded.node import kubelets, rejected_heartbeats
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.machines import Machine
    from sregym_cluster_embedded.world import World

_AGAIN_S = 10.0


def collect(world: World, machine: Machine, available_bytes: int) -> None:
    """Remove unused images from a node whose disk is too full, the largest first."""
    size = machine.root.size_bytes
    high, low = image_limits(machine)
    if size - available_bytes < high * size:
        return
    wanted = int((1 - low) * size) - available_bytes
    images = world.table(IMAGES)
    used = {
        entry.image for state in pods_on(world, machine.name) for entry in state.containers.values()
    }
    unused = sorted(
        (-size_bytes, image)
        for (node, image), (_, size_bytes) in images.items()
        if node == machine.name and image not in used
    )
    freed = 0
    for negative, image in unused:
        if freed >= wanted:
            break
        del images[(machine.name, image)]
        freed -= negative
    if freed:
        show_images(world, machine.name)
    if freed < wanted:
        text = (
            f"Failed to garbage collect required amount of images. Attempted to free {wanted} "
            f"bytes, but only found {freed} bytes eligible to free."
        )
        kubelets.record(world, machine.name, "Warning", "FreeDiskSpaceFailed", text)


def show_images(world: World, node: str) -> None:
    """Handler: let the node's status list the images that are on it, the largest fifty."""
    mark_processing(world, SHOW, node)
    key = Key("nodes", "", node)
    obj = world.store.get(key)
    if obj is None:
        return
    here = {name: size for (place, name), (_, size) in world.table(IMAGES).items() if place == node}
    kept = [
        entry
        for entry in (obj.get("status") or {}).get("images") or ()
        if not here.keys().isdisjoint(entry.get("names") or [""])
        or "pause" in (entry.get("names") or [""])[0]
    ]
    listed = {name for entry in kept for name in (entry.get("names") or [""])}
    for image, size_bytes in sorted(here.items()):
        if image not in listed:
            kept.append({"names": [image], "sizeBytes": size_bytes})
    kept.sort(key=lambda entry: (-entry.get("sizeBytes", 0), (entry.get("names") or [""])))
    if not rejected_heartbeats.report(
        world, key, {**(obj.get("status") or {}), "images": kept[:50]}
    ):
        enqueue(world, SHOW, node, _AGAIN_S)
