"""What a repair can change besides the configuration that a baseline gives back object by object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

_SLICE = ("discovery.k8s.io/v1", "EndpointSlice")
_WIDE = (("v1", "PersistentVolume"), ("apiregistration.k8s.io/v1", "APIService"))
# Slices that controllers keep say who does.
_KEPT_BY = "endpointslice.kubernetes.io/managed-by"
_KEEPERS = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
# How names of hidden state end that are about a machine.
_OF_NODE = " of node "


def observed(cluster: Cluster, namespaces: tuple[str, ...]) -> dict[str, KubeObject]:
    """Volumes, aggregated APIs, and addresses that somebody wrote for a Service by hand.

    Controllers make most of these themselves, so they are compared and not all given back.
    """
    found = [obj for version, kind in _WIDE for obj in _listed(cluster, version, kind, "")]
    for namespace in namespaces:
        found += [obj for obj in _listed(cluster, *_SLICE, namespace) if by_hand(obj)]
    return {str(ObjectRef.of(obj)): obj for obj in found}


def by_hand(part: KubeObject) -> bool:
    """Whether no controller keeps an EndpointSlice."""
    return (part["metadata"].get("labels") or {}).get(_KEPT_BY) not in _KEEPERS


def outside(cluster: Cluster) -> dict[str, str]:
    """What no object tells: data of datastores, how machines are set up, silences of alerts.

    By name, as text: the first word of a name says what it is, `Host` and `Silence` besides the
    kinds of datastores. That of a host is JSON: a digest or the fields of a setting by what it is.
    """
    stored = dict(cluster.stored())
    hosts: dict[str, dict[str, Any]] = {}
    for name, digest in cluster.hidden_state().items():
        if name not in stored:
            what, _, node = name.rpartition(_OF_NODE)
            hosts.setdefault(node, {})[what or "state"] = digest
    for setting in () if cluster.nodes is None else cluster.nodes.settings():
        for node in setting.nodes or ("",):
            hosts.setdefault(node, {})[setting.key] = setting.model_dump(mode="json")
    told = {f"Host {node}": json.dumps(host, sort_keys=True) for node, host in hosts.items()}
    return stored | told | dict(_silences(cluster))


def give_back_observed(
    cluster: Cluster, before: Mapping[str, KubeObject], namespaces: tuple[str, ...]
) -> None:
    """Take away slices that are new, and give volumes that are still there their policy again."""
    for name, obj in sorted(observed(cluster, namespaces).items()):
        ref, was = ObjectRef.of(obj), before.get(name)
        if was is None and ref.kind == _SLICE[1]:
            cluster.delete(ref)
        if was is None or ref.kind != _WIDE[0][1]:
            continue
        policy = was["spec"].get("persistentVolumeReclaimPolicy")
        if obj["spec"].get("persistentVolumeReclaimPolicy") != policy:
            cluster.patch(ref, {"spec": {"persistentVolumeReclaimPolicy": policy}}, "merge")


def _silences(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Silences that are in force, where the cluster has an Alertmanager that answers."""
    if "alertmanager" not in cluster.services:
        return
    try:
        answer = cluster.observe("alertmanager", "/api/v2/silences")
    except ClusterError:
        return
    if answer.status != 200:
        return
    found: list[dict[str, Any]] = json.loads(answer.body)
    for silence in found:
        if "id" in silence and silence["status"]["state"] in ("active", "pending"):
            matchers = {one["name"]: one["value"] for one in silence.get("matchers") or ()}
            yield f"Silence {silence['id']}", json.dumps(matchers, sort_keys=True)


def _listed(cluster: Cluster, version: str, kind: str, namespace: str) -> list[KubeObject]:
    try:
        return cluster.list(version, kind, namespace)
    except ClusterError as error:
        if error.status == 404:
            return []
        raise
