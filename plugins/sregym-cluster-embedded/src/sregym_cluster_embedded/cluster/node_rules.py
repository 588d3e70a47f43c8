"""Links, system calls that fail, and registries: settings that are rules of the whole world."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_kubernetes.node_settings import SAME_CALLS, LinkState, Peer, RegistryAccess, SystemCall

from sregym_cluster_embedded import syscalls
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.network.resolver import NODE_DNS
from sregym_cluster_embedded.placed_pods import PREFIX, choice
from sregym_cluster_embedded.userland import registries, runtime_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.model import NodeSetting

    from sregym_cluster_embedded.world import World

_SYSCALL = "set on nodes: "
# The settings of rules that stand, without values.
# What programs of the simulation call.
_CALLS = (
    *("open", "read", "write", "fsync", "connect", "bind", "sendmmsg"),
    *runtime_calls.CALLS,
)
_SYSCALLS: TableKey[str, SystemCall] = TableKey("nodes.syscalls")
_BLOCKED = {
    "": None,
    "drop": Outcome.TIMEOUT,
    "reject": Outcome.REFUSED,
    "reset": Outcome.RESET,
    "no-route": Outcome.NO_ROUTE,
}
_FAILURES = {
    "timeout": "dial tcp {address}:443: i/o timeout",
    "refused": "dial tcp {address}:443: connect: connection refused",
    "no-such-host": f"dial tcp: lookup {{host}} on {NODE_DNS}:53: no such host",
    "certificate": (
        "tls: failed to verify certificate: x509: certificate signed by unknown authority"
    ),
}


def end_of(peer: Peer) -> str:
    """An end of a link, as the network names it."""
    if peer.node:
        return f"node:{peer.node}"
    if peer.cidr:
        return f"cidr:{peer.cidr}"
    if peer.labels or peer.pod:
        return choice(peer.namespace, peer.labels, peer.pod)
    return f"namespace:{peer.namespace}" if peer.namespace else "*"


def peer_of(end: str) -> Peer:
    """The other way round."""
    if end.startswith(PREFIX):
        place, _, wanted = end.removeprefix(PREFIX).partition("?")
        namespace, _, name = place.partition("/")
        labels = dict(entry.split("=", 1) for entry in wanted.split(",") if entry)
        return Peer(namespace=namespace, pod=name, labels=labels)
    kind, _, value = end.partition(":")
    return Peer(**{kind: value}) if kind in ("node", "cidr", "namespace") else Peer()


def read_link(world: World, setting: LinkState) -> LinkState:
    """How a link is."""
    found = links.links(world).get((end_of(setting.source), end_of(setting.target)), links.Link())
    blocked = next(word for word, outcome in _BLOCKED.items() if outcome == found.fails)
    return setting.model_copy(
        update={
            "delay_ms": found.latency_ms,
            "jitter_ms": found.jitter_ms,
            "loss": found.loss,
            "rate_mbit": found.bandwidth_mbit,
            "duplicated": found.duplicated,
            "blocked": blocked,
        }
    )


def write_link(world: World, setting: LinkState) -> None:
    """Make a link so."""
    ends = end_of(setting.source), end_of(setting.target)
    if setting.is_neutral:
        links.clear_link(world, *ends)
        return
    fails = _BLOCKED[setting.blocked]
    shaped = (setting.delay_ms, setting.jitter_ms, setting.loss, setting.rate_mbit)
    link = links.Link(*shaped, fails, setting.duplicated)
    links.set_link(world, *ends, link)


def read_call(world: World, setting: SystemCall) -> SystemCall:
    """How a rule for system calls is."""
    rule = syscalls.rules(world).get(_SYSCALL + setting.key)
    if rule is None:
        return setting.neutral()
    values = {"error": rule.error, "share": rule.share, "delay_ms": rule.delay_s * 1000}
    return setting.model_copy(update=values)


def write_call(world: World, setting: SystemCall) -> None:
    """Make a rule for system calls so."""
    name = _SYSCALL + setting.key
    call = SAME_CALLS.get(setting.call, setting.call)
    if call not in _CALLS:
        known = ", ".join((*_CALLS, *SAME_CALLS))
        msg = f"the system call {setting.call!r} is not simulated; there are: {known}"
        raise NodeError(msg)
    if setting.is_neutral:
        syscalls.heal(world, name)
        return
    whose = bool(setting.namespace or setting.pod or setting.labels)
    rule = syscalls.Rule(
        call=call,
        error=setting.error,
        node=setting.node,
        container=setting.container,
        path=setting.path,
        share=setting.share,
        delay_s=setting.delay_ms / 1000,
        pods=choice(setting.namespace, setting.labels, setting.pod) if whose else "",
    )
    try:
        syscalls.fail(world, name, rule)
    except ValueError as error:
        raise NodeError(str(error)) from error
    world.table(_SYSCALLS)[name] = setting.neutral()


def read_registry(world: World, setting: RegistryAccess) -> RegistryAccess:
    """How a registry is."""
    if setting.node:
        msg = (
            f"registry {setting.host!r} is reached alike from all nodes; leave out node "
            f"{setting.node!r}"
        )
        raise NodeError(msg)
    found = registries.registries(world).get(setting.host)
    said = "" if found is None else found.unreachable
    failure = next((word for word in _FAILURES if said and said == _said(setting.host, word)), "")
    return setting.model_copy(update={"failure": failure})


def write_registry(world: World, setting: RegistryAccess) -> None:
    """Make a registry so."""
    present = registries.registry_of(world, setting.host)
    said = _said(setting.host, setting.failure) if setting.failure else ""
    changed = present._replace(unreachable=said)
    registries.forget_registry(world, setting.host)
    if changed != registries.registry_of(world, setting.host):
        registries.set_registry(world, setting.host, changed)


def _said(host: str, failure: str) -> str:
    digits = blake2b(host.encode(), digest_size=2).digest()
    return _FAILURES[failure].format(host=host, address=f"198.51.{digits[0] % 100}.{digits[1]}")


def all_rules(world: World) -> Iterator[NodeSetting]:
    """One setting, without values, of each link, call and registry that may have been set."""
    for source, target in links.links(world):
        yield LinkState(source=peer_of(source), target=peer_of(target))
    for name in syscalls.rules(world):
        if name in world.table(_SYSCALLS):
            yield world.table(_SYSCALLS)[name]
    for host in registries.registries(world):
        yield RegistryAccess(host=host)
