"""Finds network policies that leave a workload without any client, or without any server it can reach."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_core.model import BATCH_KINDS, ROLLING_KINDS, Severity, pod_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sregym_core.interfaces.cluster import KubeObject

    from sregym_oracles import Found

ISOLATED = "workload-isolated"
_POLICY = "NetworkPolicy"
# Direction -> rules of it, and the peers of a rule.
_DIRECTIONS = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}
_TOLD = {"Ingress": "nobody reaches {}", "Egress": "{} reaches nobody"}
_NAME_LABEL = "kubernetes.io/metadata.name"
# A block of addresses that is wider than this holds the addresses of pods.
_WIDE_BITS = 16


class _Pods(NamedTuple):
    """The pods of a workload as policies see them."""

    where: str
    namespace: str
    labels: Mapping[str, str]
    around: Mapping[str, str]
    ports: frozenset[int | str]


def isolated(
    found: Iterable[Found], before: Mapping[str, KubeObject], now: Mapping[str, KubeObject]
) -> Iterator[Found]:
    """Side effects, with policies that leave some workload alone as harm.

    A workload is left alone in a direction when none of the others may be its peer any more, and
    some were before. Who reaches it counts where a Service leads to it. That no user of the moment
    needs it makes it no better.

    Args:
        found: Side effects of the agent.
        before: All objects of the healthy system, by `str(ObjectRef)`.
        now: The same as they are now.
    """
    looked_at: set[str] = set()
    for one in found:
        where = one.difference.where
        if one.difference.kind == _POLICY and where in now and where not in looked_at:
            looked_at.add(where)
            if alone := "; ".join(_alone(now[where], before, now)):
                update = {"kind": ISOLATED, "severity": Severity.FAIL, "what": f"{one.effect.what}: {alone}"}  # fmt: skip
                one = one._replace(effect=one.effect.model_copy(update=update))
        yield one


def _alone(
    policy: KubeObject, before: Mapping[str, KubeObject], now: Mapping[str, KubeObject]
) -> Iterator[str]:
    """What a policy does to workloads of both states that it selects."""
    was = {pods.where: pods for pods in _workloads(before)}
    for pods in _workloads(now):
        if pods.where not in was or not _selected(policy, pods):
            continue
        for direction in _types(policy["spec"]):
            if direction == "Ingress" and not _called(pods, now):
                continue
            if _peers(was[pods.where], direction, before) and not _peers(pods, direction, now):
                yield _TOLD[direction].format(pods.where)


def _workloads(objects: Mapping[str, KubeObject]) -> list[_Pods]:
    found = []
    for name, obj in sorted(objects.items()):
        if obj["kind"] in (*ROLLING_KINDS, *BATCH_KINDS):
            namespace = obj["metadata"]["namespace"]
            place = objects.get(f"Namespace {namespace}") or {"metadata": {}}
            around = {_NAME_LABEL: namespace, **(place["metadata"].get("labels") or {})}
            template = pod_template(obj)
            labels = (template.get("metadata") or {}).get("labels") or {}
            ports = [
                port
                for container in (template.get("spec") or {}).get("containers") or ()
                for port in container.get("ports") or ()
            ]
            known = {port["containerPort"] for port in ports} | {port.get("name") for port in ports}
            found.append(_Pods(name, namespace, labels, around, frozenset(known - {None})))
    return found


def _peers(pods: _Pods, direction: str, objects: Mapping[str, KubeObject]) -> set[str]:
    """Which other workloads may talk to these pods, or be talked to by them."""
    policies = [
        obj["spec"]
        for obj in objects.values()
        if obj["kind"] == _POLICY and direction in _types(obj["spec"]) and _selected(obj, pods)
    ]
    others = [one for one in _workloads(objects) if one.where != pods.where]
    if not policies:
        return {one.where for one in others}
    rules, sides = _DIRECTIONS[direction]
    return {
        one.where
        for one in others
        for spec in policies
        for rule in spec.get(rules) or ()
        if _opens(rule.get("ports"), pods if direction == "Ingress" else one)
        and _admits(rule.get(sides), pods.namespace, one)
    }


def _types(spec: Mapping[str, Any]) -> tuple[str, ...]:
    given = spec.get("policyTypes")
    return tuple(given or (("Ingress", "Egress") if "egress" in spec else ("Ingress",)))


def _selected(policy: KubeObject, pods: _Pods) -> bool:
    same = policy["metadata"].get("namespace") == pods.namespace
    return same and _selects(policy["spec"].get("podSelector") or {}, pods.labels)


def _called(pods: _Pods, objects: Mapping[str, KubeObject]) -> bool:
    """Whether a Service leads to these pods."""
    return any(
        obj["kind"] == "Service"
        and obj["metadata"].get("namespace") == pods.namespace
        and (obj["spec"].get("selector") or {})
        and obj["spec"]["selector"].items() <= pods.labels.items()
        for obj in objects.values()
    )


def _admits(peers: list[dict[str, Any]] | None, namespace: str, pods: _Pods) -> bool:
    """Whether the peers of a rule, in a policy of a namespace, include some pods; none given is all."""
    return not peers or any(_is_peer(peer, namespace, pods) for peer in peers)


def _is_peer(peer: Mapping[str, Any], namespace: str, pods: _Pods) -> bool:
    if "ipBlock" in peer:
        return ip_network(peer["ipBlock"]["cidr"], strict=False).prefixlen <= _WIDE_BITS
    places = peer.get("namespaceSelector")
    inside = pods.namespace == namespace if places is None else _selects(places, pods.around)
    return inside and _selects(peer.get("podSelector") or {}, pods.labels)


def _opens(ports: list[dict[str, Any]] | None, pods: _Pods) -> bool:
    """Whether a rule is about any port of some pods; pods that declare none may have any."""
    if not ports or not pods.ports:
        return True
    for port in ports:
        first: int | str | None = port.get("port")
        if first is None or first in pods.ports:
            return True
        if isinstance(first, int):
            block = range(first, int(port.get("endPort", first)) + 1)
            if any(isinstance(known, int) and known in block for known in pods.ports):
                return True
    return False


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a label selector fits these labels; an empty one fits all."""
    if not (selector.get("matchLabels") or {}).items() <= labels.items():
        return False
    for rule in selector.get("matchExpressions") or ():
        value, wanted = labels.get(rule["key"]), rule.get("values") or ()
        fits = {
            "In": value is not None and value in wanted,
            "NotIn": value is None or value not in wanted,
            "Exists": value is not None,
            "DoesNotExist": value is None,
        }
        if not fits.get(rule["operator"], False):
            return False
    return True
