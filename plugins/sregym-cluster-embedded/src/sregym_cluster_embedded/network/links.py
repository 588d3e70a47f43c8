"""Links between ends of the network: what happens to packets on their way.

A link that was not set is perfect and costs nothing. To disturb the network set
links; each speaks about packets in one direction, between ends written as text:

    pod:UID    node:NAME    ip:ADDRESS    cidr:10.244.0.0/16    namespace:NAME    *
    pods:NAMESPACE/NAME?LABEL=VALUE,...    (see `placed_pods`)
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network import cache
from sregym_cluster_embedded.network.keys import KUBELETS
from sregym_cluster_embedded.network.outcomes import CLEAR, Outcome, Path
from sregym_cluster_embedded.placed_pods import PREFIX, chosen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.world import World

LINKS: TableKey[tuple[str, str], Link] = TableKey("network.links")


class Link(NamedTuple):
    """What happens to packets in one direction.

    Attributes:
        latency_ms: Each packet comes so much later.
        jitter_ms: Standard deviation of that.
        loss: Fraction of packets that are lost.
        bandwidth_mbit: Megabits a second; 0 for no limit.
        fails: How a connection ends when no packet passes: `TIMEOUT` when they are dropped,
            `REFUSED` or `RESET` when a firewall says so, `NO_ROUTE`; None when they pass.
        duplicated: Fraction of packets that are sent twice. Connections throw the copies away, and
            what limits the link is shared with them.
    """

    latency_ms: float = 0.0
    jitter_ms: float = 0.0
    loss: float = 0.0
    bandwidth_mbit: float = 0.0
    fails: Outcome | None = None
    duplicated: float = 0.0


CUT = Link(fails=Outcome.TIMEOUT)


class PathEnd(NamedTuple):
    """One end of a connection, as links are compared with it."""

    pod_uid: str = ""
    namespace: str = ""
    node: str = ""
    ip: str = ""

    def is_called(self, name: str) -> bool:
        """Whether the text in a link means this end; pods by their labels are for `is_called`."""
        kind, _, value = name.partition(":")
        if kind == "*":
            return True
        if kind == "pod":
            return value == self.pod_uid
        if kind == "node":
            return bool(value) and value == self.node
        if kind == "namespace":
            return bool(value) and value == self.namespace
        if kind == "ip":
            return value == self.ip
        if kind == "cidr":
            return bool(self.ip) and ip_address(self.ip) in ip_network(value, strict=False)
        return False


def set_link(world: World, source: str, target: str, link: Link) -> None:
    """Let packets from `source` to `target` meet a link; replaces the one set before."""
    world.table(LINKS)[(source, target)] = link
    _tell(world, source, target)


def cut(world: World, one: str, other: str, fails: Outcome = Outcome.TIMEOUT) -> None:
    """Let nothing pass between two ends, in either direction."""
    world.table(LINKS)[(one, other)] = world.table(LINKS)[(other, one)] = Link(fails=fails)
    _tell(world, one, other)


def clear_link(world: World, source: str, target: str) -> None:
    """Make the way from `source` to `target` perfect again."""
    world.table(LINKS).pop((source, target), None)
    _tell(world, source, target)


def links(world: World) -> Mapping[tuple[str, str], Link]:
    """(source, target) -> link, of all that were set."""
    found: Mapping[tuple[str, str], Link] = world.table(LINKS)
    return dict(found)


def clear_links(world: World) -> None:
    """Make all ways perfect again."""
    world.table(LINKS).clear()
    _tell(world, "*")


def path_between(world: World, source: PathEnd, target: PathEnd) -> Path:
    """What packets meet from one end to the other and back."""
    table = world.table(LINKS)
    if source.pod_uid and source.pod_uid == target.pod_uid:
        return CLEAR
    kept = carried(world, source.node, target.node)
    if not table and kept == 1.0:
        return CLEAR
    latency, variance, narrowest = 0.0, 0.0, 0.0
    fails: Outcome | None = None
    for link in _met(world, source, target):
        latency += link.latency_ms
        variance += link.jitter_ms**2
        kept *= 1 - link.loss
        if link.bandwidth_mbit:
            left = link.bandwidth_mbit / (1 + link.duplicated)
            narrowest = min(narrowest or left, left)
        fails = fails or link.fails
    if kept <= 0:
        fails = fails or Outcome.TIMEOUT
    return Path(latency, variance**0.5, 1 - kept, narrowest, fails)


def carried(world: World, one: str, other: str) -> float:
    """The fraction of packets and answers between two nodes that the cards of both carry."""
    if one == other:
        return 1.0
    found = (machines.machine(world, name) for name in (one, other) if name)
    return prod(1 - machine.crowded for machine in found if machine is not None)


def _met(world: World, source: PathEnd, target: PathEnd) -> Iterator[Link]:
    for (begin, end), link in world.table(LINKS).items():
        if is_called(world, source, begin) and is_called(world, target, end):
            yield link
        if is_called(world, target, begin) and is_called(world, source, end):
            yield link


def is_called(world: World, end: PathEnd, name: str) -> bool:
    """Whether the text in a link means this end, pods by their labels included."""
    if name.startswith(PREFIX):
        return bool(end.pod_uid) and chosen(world, name, end.pod_uid)
    return end.is_called(name)


def _tell(world: World, *names: str) -> None:
    """Answers of the network, and of the kubelets' probes of these ends, may be others now."""
    cache.clear(world)
    kubelet = world.service_or_none(KUBELETS)
    if kubelet is None:
        return
    for pod in world.store.list("pods"):
        metadata, ip = pod["metadata"], pod.get("status", {}).get("podIP", "")
        end = PathEnd(metadata["uid"], metadata["namespace"], pod["spec"].get("nodeName", ""), ip)
        if ip and any(is_called(world, end, name) for name in names):
            kubelet.touch_pod(world, metadata["uid"])
