"""The pods of a DaemonSet: the node each is for, what makes it fit there, how one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.defaults.workloads import TEMPLATE_GENERATION
from sregym_cluster_embedded.controllers.controller_revisions import POD_LABEL
from sregym_cluster_embedded.controllers.pods import from_template
from sregym_cluster_embedded.placement import matches_affinity, untolerated

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_GENERATION_LABEL = "pod-template-generation"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_NODE_NAME = "metadata.name"
# What happens to nodes does not drive away the pods that serve the node itself.
_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_HOST_TOLERATED = ("node.kubernetes.io/network-unavailable", "NoSchedule")


def new_pod(daemon_set: Object, node: str, revision_hash: str) -> Object:
    """The pod for one node; the default scheduler places it, its affinity leaves one choice."""
    pod = from_template(daemon_set, f"{daemon_set['metadata']['name']}-")
    labels = {**pod["metadata"].get("labels", {}), POD_LABEL: revision_hash}
    generation = _generation(daemon_set)
    if generation:
        labels[_GENERATION_LABEL] = generation
    spec = tolerant(pod["spec"])
    affinity = spec.get("affinity") or {}
    field = {"key": _NODE_NAME, "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    of_node = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: terms}
    placed = {**spec, "affinity": {**affinity, "nodeAffinity": of_node}}
    return {"metadata": {**pod["metadata"], "labels": labels}, "spec": placed}


def tolerant(spec: Object) -> Object:
    """A pod's spec with the tolerations that all pods of DaemonSets have."""
    wanted = [*_TOLERATED, *([_HOST_TOLERATED] if spec.get("hostNetwork") else [])]
    given = list(spec.get("tolerations") or ())
    added = [{"key": key, "operator": "Exists", "effect": effect} for key, effect in wanted]
    return {**spec, "tolerations": [*given, *(entry for entry in added if entry not in given)]}


def node_of(pod: Object) -> str:
    """The node that the pod is on or, not scheduled yet, is meant for; empty when there is none."""
    name: str = pod["spec"].get("nodeName", "")
    if name:
        return name
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    for term in (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms", ()):
        for field in term.get("matchFields") or ():
            if field["key"] == _NODE_NAME and field["operator"] == "In":
                target: str = field["values"][0]
                return target
    return ""


def fits(template: Object, node: Object) -> tuple[bool, bool]:
    """Whether a new pod should come to the node, and whether one that is there may stay.

    `template` is a pod whose spec was made `tolerant`.
    """
    wanted = template["spec"].get("nodeName")
    if (wanted and wanted != node["metadata"]["name"]) or not matches_affinity(template, node):
        return False, False
    if untolerated(template, node, ("NoSchedule", "NoExecute")) is None:
        return True, True
    return False, untolerated(template, node, ("NoExecute",)) is None


def is_updated(daemon_set: Object, pod: Object, revision_hash: str) -> bool:
    """Whether the pod was made from the present template."""
    labels = pod["metadata"].get("labels") or {}
    generation = _generation(daemon_set)
    return labels.get(POD_LABEL) == revision_hash or (
        generation != "" and labels.get(_GENERATION_LABEL) == generation
    )


def _generation(daemon_set: Object) -> str:
    text: str = (daemon_set["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "")
    return text
