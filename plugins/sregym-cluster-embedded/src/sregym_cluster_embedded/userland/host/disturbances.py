"""Links that are disturbed, as a node shows them: queueing disciplines of its interfaces, rules of its filter.

The state is that of `network.links`; here is where on which node each entry of it can be seen, and be
taken away. Packets that come later, get lost or are held back are the work of a queueing discipline of
the interface that they leave through; packets that do not pass at all are the work of a filter rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.network.links import Link, PathEnd
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.placed_pods import PREFIX, chosen
from sregym_cluster_embedded.userland.host.redacted import visible_pods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

UPLINK = "eth0"


class Interface(NamedTuple):
    """An interface of a node that packets leave through.

    Attributes:
        name: `eth0`, or `veth...` of a pod.
        number: As `ip link` counts.
        pod: The pod behind it; None for the uplink.
    """

    name: str
    number: int
    pod: PodState | None = None


class Disturbance(NamedTuple):
    """One entry of the links, at the place where it can be seen.

    Attributes:
        key: (source, target) as the network knows it.
        link: What happens to packets.
        interface: Through which they leave.
    """

    key: tuple[str, str]
    link: Link
    interface: Interface


def interfaces(world: World, node: str) -> list[Interface]:
    """The uplink, then one for each pod that has a network of its own."""
    found = [Interface(UPLINK, 2)]
    for state in visible_pods(world, node):
        pod = world.store.get(state.key)
        if state.ip and state.sandbox and pod is not None and not pod["spec"].get("hostNetwork"):
            found.append(Interface(f"veth{state.uid.replace('-', '')[:8]}", 4 + len(found), state))
    return found


def disturbances(world: World, node: str) -> list[Disturbance]:
    """What is disturbed on its way through a node."""
    known = interfaces(world, node)
    found = []
    for key, link in links.links(world).items():
        for interface in _places(world, node, key, known):
            found.append(Disturbance(key, link, interface))
    return found


def _places(
    world: World, node: str, key: tuple[str, str], known: list[Interface]
) -> Iterator[Interface]:
    """The interfaces of a node at which an entry stands: towards its target, else at its source."""
    source, target = key
    pods = [one for one in known if one.pod is not None]
    towards = [one for one in pods if target != "*" and links.is_called(world, _end(one), target)]
    if towards:
        yield from towards
        return
    if source != "*" and _own(world, node).is_called(source):
        yield known[0]
        return
    yield from (one for one in pods if source != "*" and links.is_called(world, _end(one), source))
    if (
        target != "*"
        and _own(world, node).is_called(target)
        and not source.startswith(("node:", "pod:", PREFIX))
    ):
        yield known[0]
    if key == ("*", "*"):
        yield known[0]


def _own(world: World, node: str) -> PathEnd:
    machine = machines.machine(world, node)
    address = "" if machine is None else machine.address
    return PathEnd("", "", node, address)


def _end(interface: Interface) -> PathEnd:
    state = interface.pod
    assert state is not None, "an interface of a pod"
    # Of the pod itself: what is meant for its node stands at the uplink.
    return PathEnd(state.uid, state.key.namespace, "", state.ip)


def address_of(world: World, name: str) -> str:
    """The end of a link as an address or network; empty for any."""
    if name.startswith(PREFIX):
        namespace = name.removeprefix(PREFIX).partition("/")[0]
        pods = world.store.list("pods", namespace)
        known = [(pod["metadata"]["uid"], pod.get("status", {}).get("podIP")) for pod in pods]
        return ",".join(f"{ip}/32" for uid, ip in known if ip and chosen(world, name, uid))
    kind, _, value = name.partition(":")
    if kind in ("ip", "cidr"):
        return value if "/" in value else f"{value}/32"
    if kind == "node":
        machine = machines.machine(world, value)
        return "" if machine is None else f"{machine.address}/32"
    if kind == "pod":
        pod = next(world.store.indexed("pods", "uid", value), None)
        ip = "" if pod is None else pod.get("status", {}).get("podIP", "")
        return f"{ip}/32" if ip else ""
    if kind == "namespace":
        found = (pod.get("status", {}).get("podIP") for pod in world.store.list("pods", value))
        return ",".join(f"{ip}/32" for ip in found if ip)
    return ""


def shaping(link: Link) -> str:
    """What a netem discipline says of a link; empty when it only cuts."""
    words = []
    if link.latency_ms or link.jitter_ms:
        words.append(
            f"delay {_ms(link.latency_ms)}" + (f" {_ms(link.jitter_ms)}" if link.jitter_ms else "")
        )
    if link.loss:
        words.append(f"loss {100 * link.loss:g}%")
    if link.duplicated:
        words.append(f"duplicate {100 * link.duplicated:g}%")
    if link.bandwidth_mbit:
        rate = link.bandwidth_mbit
        words.append(f"rate {rate:g}Mbit" if rate >= 1 else f"rate {1000 * rate:g}Kbit")
    return " ".join(words)


def _ms(value: float) -> str:
    return f"{value / 1000:g}s" if value >= 1000 else f"{value:g}ms"


class Rule(NamedTuple):
    """A rule of the filter table that stands for a cut link."""

    chain: str
    source: str
    target: str
    verdict: str
    key: tuple[str, str]

    @property
    def text(self) -> str:
        """As `iptables -S` prints it, without the verb."""
        ends = (f" -s {self.source}" if self.source else "") + (
            f" -d {self.target}" if self.target else ""
        )
        return f"{self.chain}{ends} -j {self.verdict}"


_VERDICTS = {
    Outcome.TIMEOUT: "DROP", Outcome.REFUSED: "REJECT --reject-with icmp-port-unreachable",
    Outcome.RESET: "REJECT --reject-with tcp-reset",
    Outcome.NO_ROUTE: "REJECT --reject-with icmp-host-unreachable",
}  # fmt: skip


def rules(world: World, node: str) -> list[Rule]:
    """The rules of the filter by which packets are held up on a node, in order."""
    found: list[Rule] = []
    ends = [_end(one) for one in interfaces(world, node)[1:]]
    for key, link in links.links(world).items():
        fails = link.fails or (Outcome.TIMEOUT if link.loss >= 1 else None)
        chain = "" if fails is None else _chain(world, _own(world, node), ends, *key)
        if fails is not None and chain:
            verdict = _VERDICTS.get(fails, "DROP")
            found.append(
                Rule(chain, address_of(world, key[0]), address_of(world, key[1]), verdict, key)
            )
    return found


def _chain(world: World, own: PathEnd, pods: list[PathEnd], source: str, target: str) -> str:
    """The chain in which a node holds packets up: before their target, else behind their source."""
    if target != "*":
        if own.is_called(target):
            return "INPUT"
        if any(links.is_called(world, pod, target) for pod in pods):
            return "FORWARD"
        if target.startswith(("node:", "pod:", "namespace:", PREFIX)):
            return ""
    if source == "*":
        return "FORWARD" if target == "*" else ""
    if own.is_called(source):
        return "OUTPUT"
    return "FORWARD" if any(links.is_called(world, pod, source) for pod in pods) else ""


def clear_cut(world: World, rule: Rule) -> None:
    """Let packets pass again that a rule holds up; what delays them besides stays."""
    link = links.links(world).get(rule.key)
    if link is None:
        return
    left = link._replace(fails=None, loss=0.0 if link.loss >= 1 else link.loss)
    if left == Link():
        links.clear_link(world, *rule.key)
    else:
        links.set_link(world, *rule.key, left)


def name_of(world: World, address: str) -> str:
    """The end of a link that an address or network means; empty for none."""
    if not address:
        return ""
    ip, _, size = address.partition("/")
    if size not in ("", "32"):
        return f"cidr:{address}"
    for machine in machines.machines(world):
        if machine.address == ip:
            return f"node:{machine.name}"
    for pod in world.store.list("pods"):
        if pod.get("status", {}).get("podIP") == ip and not pod["spec"].get("hostNetwork"):
            return f"pod:{pod['metadata']['uid']}"
    return f"ip:{ip}"
