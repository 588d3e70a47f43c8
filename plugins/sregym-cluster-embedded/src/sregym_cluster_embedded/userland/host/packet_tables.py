"""The tables of a node's packet filter: what kube-proxy has written, and rules that hold packets up."""

from __future__ import annotations

from base64 import b32encode
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.network.services import service_backends
from sregym_cluster_embedded.userland.host.disturbances import rules
from sregym_cluster_embedded.userland.host.redacted import redaction_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

BUILT_IN = {
    "filter": ("INPUT", "FORWARD", "OUTPUT"), "nat": ("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"),
    "mangle": ("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"), "raw": ("PREROUTING", "OUTPUT"),
}  # fmt: skip
_JUMPS = {
    "filter": {
        "INPUT": ('-m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL',
                  '-m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS', "-j KUBE-FIREWALL"),
        "FORWARD": ('-m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
                    '-m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD'),
        "OUTPUT": ('-m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
                   "-j KUBE-FIREWALL"),
        "KUBE-FORWARD": ("-m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP",
                         '-m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT'),
        "KUBE-FIREWALL": (), "KUBE-PROXY-FIREWALL": (), "KUBE-NODEPORTS": (), "KUBE-SERVICES": (),
    },
    "nat": {
        "PREROUTING": ('-m comment --comment "kubernetes service portals" -j KUBE-SERVICES',),
        "OUTPUT": ('-m comment --comment "kubernetes service portals" -j KUBE-SERVICES',),
        "POSTROUTING": ('-m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING',),
        "KUBE-MARK-MASQ": ("-j MARK --set-xmark 0x4000/0x4000",),
        "KUBE-POSTROUTING": ("-m mark ! --mark 0x4000/0x4000 -j RETURN", "-j MARK --set-xmark 0x4000/0x0",
                             '-m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully'),
        "KUBE-SERVICES": (), "KUBE-NODEPORTS": (),
    },
}  # fmt: skip

_IPVS = (
    '! -s 10.244.0.0/16 -m comment --comment "Kubernetes service cluster ip + port for masquerade purpose" '
    "-m set --match-set KUBE-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ",
    "-m addrtype --dst-type LOCAL -j KUBE-NODE-PORT",
    "-m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT",
)


class Table(NamedTuple):
    """A table of the packet filter: chain -> rules, built-in chains first."""

    name: str
    chains: dict[str, list[str]]


def table_of(world: World, node: str, name: str) -> Table:
    """A table as it stands on a node now."""
    chains: dict[str, list[str]] = {chain: [] for chain in BUILT_IN[name]}
    for chain, own in _JUMPS.get(name, {}).items():
        chains.setdefault(chain, []).extend(own)
    if name == "filter":
        for rule in reversed(rules(world, node)):
            chains[rule.chain].insert(0, rule.text.partition(" ")[2])
    if name in ("nat", "filter"):
        for chain, text in _of_services(world, node, name):
            chains.setdefault(chain, []).append(text)
    if name == "nat":
        chains["KUBE-SERVICES"].append(
            '-m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this '
            'chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS'
        )
    return Table(name, chains)


def _of_services(world: World, node: str, table: str) -> Iterator[tuple[str, str]]:
    """What kube-proxy has written for the Services that it knows."""
    redaction = redaction_of(world)
    written = proxies.rules_of(world, node)
    if written.spread.mode == "ipvs":
        # Its virtual servers stand beside these tables, which only ask whether an address is one.
        yield from ((("KUBE-SERVICES", rule) for rule in _IPVS) if table == "nat" else ())
        return
    for service in written.services():
        metadata, spec = service["metadata"], service["spec"]
        if redaction.hides("", "services", metadata["namespace"], metadata["name"]):
            continue
        address = spec.get("clusterIP", "")
        if address in ("", "None") or ":" in address:
            continue
        for port in spec.get("ports") or ():
            name = f"{metadata['namespace']}/{metadata['name']}" + (
                f":{port['name']}" if port.get("name") else ""
            )
            ends = [
                f"{one.ip}:{one.port}"
                for one in service_backends(world, written, service, port).backends
            ]
            protocol = port.get("protocol", "TCP").lower()
            yield from _of_port(table, name, address, port, protocol, ends)


def _of_port(
    table: str, name: str, address: str, port: Object, protocol: str, ends: list[str]
) -> Iterator[tuple[str, str]]:
    said = f'-m comment --comment "{name} cluster IP" -m {protocol} --dport {port["port"]}'
    if table == "filter":
        if not ends:
            lacking = f'-m comment --comment "{name} has no endpoints" -m {protocol} --dport {port["port"]}'
            yield (
                "KUBE-SERVICES",
                f"-d {address}/32 -p {protocol} {lacking} -j REJECT --reject-with icmp-port-unreachable",
            )
        return
    if not ends:
        return
    chain = f"KUBE-SVC-{_hashed(name, protocol)}"
    yield "KUBE-SERVICES", f"-d {address}/32 -p {protocol} {said} -j {chain}"
    if port.get("nodePort"):
        yield (
            "KUBE-NODEPORTS",
            f'-p {protocol} -m comment --comment "{name}" -m {protocol} --dport {port["nodePort"]} -j KUBE-EXT-{_hashed(name, protocol)}',
        )
        yield f"KUBE-EXT-{_hashed(name, protocol)}", f"-j {chain}"
    yield chain, f"! -s 10.244.0.0/16 -d {address}/32 -p {protocol} {said} -j KUBE-MARK-MASQ"
    for number, end in enumerate(ends):
        share = (
            ""
            if number == len(ends) - 1
            else (f" -m statistic --mode random --probability {1 / (len(ends) - number):.11f}")
        )
        endpoint = f"KUBE-SEP-{_hashed(name, protocol, end)}"
        yield chain, f'-m comment --comment "{name} -> {end}"{share} -j {endpoint}'
        yield (
            endpoint,
            f'-s {end.partition(":")[0]}/32 -m comment --comment "{name}" -j KUBE-MARK-MASQ',
        )
        yield (
            endpoint,
            f'-p {protocol} -m comment --comment "{name}" -m {protocol} -j DNAT --to-destination {end}',
        )


def _hashed(*parts: str) -> str:
    return b32encode(sha256("".join(parts).encode()).digest()).decode()[:16]
