"""Whether NetworkPolicies of a namespace let traffic of a pod pass, as the API promises it.

A pod that no policy selects is open; one that is selected is closed in that direction but for what
some policy allows. Whether users are served is judged elsewhere: where this cannot tell (a named
port, a range of addresses), it takes the rule for open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces.cluster import KubeObject

# Which every namespace has, with its name.
NAMESPACE_LABEL = "kubernetes.io/metadata.name"
_PEERS = {"ingress": "from", "egress": "to"}


@dataclass(frozen=True)
class Traffic:
    """What should pass between a component and a peer.

    Attributes:
        direction: As the component sees it.
        namespace: Of the peer; empty: any traffic of this direction.
        labels: Of the peer's pods.
        protocol: Of the connection.
        port: Where the receiver listens.
        told: For people: `front to it`.
    """

    direction: Literal["ingress", "egress"]
    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    protocol: str = "TCP"
    port: int = 0
    told: str = ""


def closing(
    policies: Sequence[KubeObject], labels: Mapping[str, str], traffic: Traffic
) -> list[str]:
    """Names of the policies that together stop traffic of pods with these labels; none: it passes."""
    chosen = [
        policy
        for policy in policies
        if traffic.direction.capitalize() in _types(policy["spec"])
        and _selects(policy["spec"].get("podSelector") or {}, labels)
    ]
    for policy in chosen:
        for rule in policy["spec"].get(traffic.direction) or ():
            if not traffic.namespace or _allows(policy, rule, traffic):
                return []
    return [policy["metadata"]["name"] for policy in chosen]


def _types(spec: Mapping[str, Any]) -> Sequence[str]:
    # What the API fills in where nothing is said.
    return spec.get("policyTypes") or ("Ingress", *(["Egress"] if spec.get("egress") else []))


def _allows(policy: KubeObject, rule: Mapping[str, Any], traffic: Traffic) -> bool:
    ports, peers = rule.get("ports"), rule.get(_PEERS[traffic.direction])
    return (not ports or any(_port_fits(port, traffic) for port in ports)) and (
        not peers or any(_peer_fits(policy, peer, traffic) for peer in peers)
    )


def _port_fits(port: Mapping[str, Any], traffic: Traffic) -> bool:
    if port.get("protocol", "TCP") != traffic.protocol:
        return False
    number = port.get("port")
    if not isinstance(number, int):
        return True
    return number <= traffic.port <= (port.get("endPort") or number)


def _peer_fits(policy: KubeObject, peer: Mapping[str, Any], traffic: Traffic) -> bool:
    if "ipBlock" in peer:
        return True
    spaces = peer.get("namespaceSelector")
    if spaces is None:
        here = traffic.namespace == policy["metadata"]["namespace"]
    else:
        known = spaces.get("matchLabels") or {}
        # Other labels of namespaces than the one that all have are not known here.
        here = known.get(NAMESPACE_LABEL, traffic.namespace) == traffic.namespace
    return here and _selects(peer.get("podSelector") or {}, traffic.labels)


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    plain = selector.get("matchLabels") or {}
    return all(labels.get(key) == value for key, value in plain.items()) and all(
        _holds(one, labels) for one in selector.get("matchExpressions") or ()
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, operator = labels.get(expression["key"]), expression["operator"]
    if operator == "In":
        return value in list(expression["values"])
    if operator == "NotIn":
        return value not in list(expression["values"])
    exists: bool = value is not None
    return exists is (operator == "Exists")
