"""`kubectl describe networkpolicy`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.kubectl.ages import go_time
from sregym_cluster_embedded.kubectl.describe.common_sections import write_annotations, write_labels
from sregym_cluster_embedded.kubectl.describe.selectors import selector_text
from sregym_cluster_embedded.kubectl.describe.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_LEAD = "    "


class _Direction(NamedTuple):
    """What differs between traffic to pods and traffic from them."""

    type: str
    field: str
    peers: str
    title: str
    place: str

    @property
    def word(self) -> str:
        return self.type.lower()


_DIRECTIONS = (
    _Direction("Ingress", "ingress", "from", "From", "source"),
    _Direction("Egress", "egress", "to", "To", "destination"),
)


def describe_network_policy(_session: Session, obj: Object) -> str:
    """The description of one NetworkPolicy."""
    writer = Writer()
    metadata, spec = obj["metadata"], obj["spec"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    writer.field(0, "Created on", go_time(metadata["creationTimestamp"]))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.line(0, "Spec:")
    chosen = selector_text(spec.get("podSelector"))
    if chosen == "<none>":
        chosen += " (Allowing the specific traffic to all pods in this namespace)"
    writer.line(1, f"PodSelector:     {chosen}")
    types = spec.get("policyTypes", ())
    for direction in _DIRECTIONS:
        if direction.type not in types:
            writer.line(1, f"Not affecting {direction.word} traffic")
            continue
        writer.line(1, f"Allowing {direction.word} traffic:")
        _rules(writer, spec.get(direction.field) or (), direction)
    writer.line(1, f"Policy Types: {', '.join(types)}")
    return writer.text()


def _rules(writer: Writer, rules: Sequence[Object], direction: _Direction) -> None:
    if not rules:
        isolated = f"(Selected pods are isolated for {direction.word} connectivity)"
        writer.line(0, f"{_LEAD}<none> {isolated}")
    for at, rule in enumerate(rules):
        if not rule.get("ports"):
            writer.line(0, f"{_LEAD}To Port: <any> (traffic allowed to all ports)")
        for port in rule.get("ports") or ():
            writer.line(0, _LEAD + _port(port))
        peers = rule.get(direction.peers) or ()
        if not peers:
            free = f"(traffic not restricted by {direction.place})"
            writer.line(0, f"{_LEAD}{direction.title}: <any> {free}")
        for peer in peers:
            writer.line(0, f"{_LEAD}{direction.title}:")
            _peer(writer, peer)
        if at < len(rules) - 1:
            writer.line(0, f"{_LEAD}----------")


def _port(port: Object) -> str:
    protocol, number = port.get("protocol", "TCP"), port.get("port", "<nil>")
    if port.get("endPort") is None:
        return f"To Port: {number}/{protocol}"
    return f"To Port Range: {number}-{port['endPort']}/{protocol}"


def _peer(writer: Writer, peer: Object) -> None:
    for title, field in (
        ("NamespaceSelector", "namespaceSelector"),
        ("PodSelector", "podSelector"),
    ):
        if peer.get(field) is not None:
            writer.line(1, f"{_LEAD}{title}: {selector_text(peer[field])}")
    block = peer.get("ipBlock")
    if block is not None and "podSelector" not in peer and "namespaceSelector" not in peer:
        writer.line(1, f"{_LEAD}IPBlock:")
        writer.line(2, f"{_LEAD}CIDR: {block['cidr']}")
        writer.line(2, f"{_LEAD}Except: {', '.join(block.get('except') or ())}")
