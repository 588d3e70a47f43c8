"""What a repair can change besides the configuration that a baseline gives back object by object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError, Command
from sregym_core.model import ObjectRef

from sregym_kubernetes.operations import objects

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
# Which resources the API stores and lets people change, as kubectl lists them.
_RESOURCES = Command(("kubectl", "api-resources", "--verbs=list,patch", "--no-headers"))
# What of them comes and goes with other objects, or by the doing of controllers, kubelets and
# drivers; and rights in the whole cluster, of which the harness gives and takes some itself.
_COMES_AND_GOES = frozenset(
    {
        "CSINode", "CSIStorageCapacity", "CertificateSigningRequest", "ClusterRole",
        "ClusterRoleBinding", "ControllerRevision", "EndpointSlice", "Endpoints", "Event",
        "IPAddress", "Lease", "LeaseCandidate", "Namespace", "ReplicaSet", "ResourceClaim",
        "ResourceSlice", "ServiceCIDR", "VolumeAttachment",
    }
)  # fmt: skip


def observed(cluster: Cluster, namespaces: tuple[str, ...]) -> dict[str, KubeObject]:
    """Whatever else the API stores for people: FlowSchemas, custom resources of the cluster ...

    Volumes, aggregated APIs, and addresses that were written for a Service by hand are among it:
    controllers make most of these themselves, so they are compared and not all given back.
    """
    found = [obj for version, kind in _WIDE for obj in _listed(cluster, version, kind, "")]
    for namespace in namespaces:
        found += [obj for obj in _listed(cluster, *_SLICE, namespace) if by_hand(obj)]
    return {str(ObjectRef.of(obj)): obj for obj in (*found, *_further(cluster, namespaces))}


def _further(cluster: Cluster, namespaces: tuple[str, ...]) -> Iterator[KubeObject]:
    """Objects that no controller made, of all kinds that neither a capture nor a list here names."""
    named = {
        (version.rpartition("/")[0], kind)
        for version, kind in (*objects.NAMESPACED, *objects.CLUSTER_WIDE, *_WIDE)
    }
    places = (*namespaces, objects.SYSTEM_NAMESPACE)
    for line in cluster.kubectl(_RESOURCES).stdout.splitlines():
        version, namespaced, kind = line.split()[-3:]
        if kind in _COMES_AND_GOES or (version.rpartition("/")[0], kind) in named:
            continue
        for obj in _listed(cluster, version, kind, ""):
            inside = namespaced == "false" or obj["metadata"]["namespace"] in places
            if inside and not obj["metadata"].get("ownerReferences"):
                yield obj


def by_hand(part: KubeObject) -> bool:
    """Whether no controller keeps an EndpointSlice."""
    return (part["metadata"].get("labels") or {}).get(_KEPT_BY) not in _KEEPERS


def outside(cluster: Cluster) -> dict[str, str]:
    """State outside of objects: data of datastores, how machines are set up, silences of alerts.

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
    """Give back all but volumes and aggregated APIs; volumes that are still there get their policy again."""
    now = observed(cluster, namespaces)
    for name in sorted(before.keys() | now.keys()):
        was = before.get(name)
        ref = ObjectRef.of(was or now[name])
        if ref.kind == _WIDE[0][1] and was is not None and name in now:
            policy = was["spec"].get("persistentVolumeReclaimPolicy")
            if now[name]["spec"].get("persistentVolumeReclaimPolicy") != policy:
                cluster.patch(ref, {"spec": {"persistentVolumeReclaimPolicy": policy}}, "merge")
        elif ref.kind == _SLICE[1] and was is None:
            cluster.delete(ref)
        elif ref.kind not in (_SLICE[1], *(kind for _, kind in _WIDE)):
            objects.restore_by_ref(cluster, ref, was)


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
