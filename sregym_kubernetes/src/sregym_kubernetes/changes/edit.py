"""One change of one object by one tool, with what the tool writes besides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_kubernetes.changes.delivery import (
    ARGO_TRACKING,
    DELIVERERS,
    FLUX_NAME,
    FLUX_NAMESPACE,
    HELM_NAMESPACE,
    HELM_RELEASE,
    LAST_APPLIED,
    MANAGED_BY,
    REMEMBERING,
    Delivery,
)
from sregym_kubernetes.changes.helm import record_upgrade
from sregym_kubernetes.changes.patches import apply_patch
from sregym_kubernetes.changes.people import as_chosen_person

if TYPE_CHECKING:
    from sregym_core.interfaces import Actor, Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

# What Go writes of these signs in JSON.
_ESCAPES = {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e"}


def apply_edit(
    cluster: Cluster, ref: ObjectRef, patch: Any, kind: str, actor: Actor, current: KubeObject
) -> KubeObject:
    """Change an object as a tool does; returns it as the server stored it.

    A tool that remembers what it applied (`kubectl apply`, Argo CD) writes the annotation
    `last-applied-configuration` in the same request; `kubectl edit` and `kubectl patch` leave it.
    Helm writes the next revision of its release.

    Args:
        cluster: Where.
        ref: What is changed.
        patch: As for `Cluster.patch`.
        kind: As for `Cluster.patch`.
        actor: Who changes it.
        current: The object as it is.
    """
    actor = as_chosen_person(cluster, actor, ref)
    if actor == DELIVERERS[Delivery.HELM]:
        changed = cluster.patch(ref, patch, kind, actor)
        record_upgrade(cluster, current, patch, kind)
        return changed
    remembered = (current["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    if remembered is None or actor.manager not in REMEMBERING:
        return cluster.patch(ref, patch, kind, actor)
    applied = {LAST_APPLIED: _text(apply_patch(json.loads(remembered), patch, kind))}
    if kind == "json":
        place = f"/metadata/annotations/{LAST_APPLIED.replace('/', '~1')}"
        step = {"op": "replace", "path": place, "value": applied[LAST_APPLIED]}
        return cluster.patch(ref, [*patch, step], kind, actor)
    metadata = patch.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), **applied}
    whole = {**patch, "metadata": {**metadata, "annotations": annotations}}
    return cluster.patch(ref, whole, kind, actor)


def with_delivery_marks(
    obj: KubeObject, delivery: Delivery, release: str, namespace: str
) -> KubeObject:
    """A manifest with the marks of the tool that delivers it; a new object.

    Args:
        obj: The manifest.
        delivery: The tool.
        release: Name of the Helm release, the Argo CD Application or the Flux Kustomization.
        namespace: Namespace of the release; of a Flux Kustomization it is `flux-system`.
    """
    metadata = obj["metadata"]
    if delivery is Delivery.HELM:
        obj = _marked(obj, "labels", {MANAGED_BY: "Helm"})
        marks = {HELM_RELEASE: release, HELM_NAMESPACE: namespace}
        return _marked(obj, "annotations", marks)
    if delivery is Delivery.FLUX:
        return _marked(obj, "labels", {FLUX_NAME: release, FLUX_NAMESPACE: "flux-system"})
    if delivery is Delivery.ARGO_CD:
        group = obj["apiVersion"].rpartition("/")[0]
        place = f"{metadata.get('namespace', '')}/{metadata['name']}"
        obj = _marked(
            obj, "annotations", {ARGO_TRACKING: f"{release}:{group}/{obj['kind']}:{place}"}
        )
    if delivery in (Delivery.APPLY, Delivery.ARGO_CD):
        return _marked(obj, "annotations", {LAST_APPLIED: _text(obj)})
    return obj


def _marked(obj: KubeObject, field: str, marks: dict[str, str]) -> KubeObject:
    metadata = obj["metadata"]
    return {**obj, "metadata": {**metadata, field: {**(metadata.get(field) or {}), **marks}}}


def _text(obj: KubeObject) -> str:
    """A configuration in the form in which kubectl remembers it."""
    metadata = obj["metadata"]
    annotations = dict(metadata.get("annotations") or {})
    annotations.pop(LAST_APPLIED, None)
    whole = {**obj, "metadata": {**metadata, "annotations": annotations}}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text
