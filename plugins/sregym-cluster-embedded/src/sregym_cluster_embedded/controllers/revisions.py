"""Revisions of Deployments: which ReplicaSet belongs to the template, in which order they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.controllers.template_hash import LABEL

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MAXIMUM = "deployment.kubernetes.io/max-replicas"
_NOT_COPIED = {
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
}


def annotations_of(obj: Object) -> dict[str, str]:
    """An object's annotations, never None."""
    return obj["metadata"].get("annotations") or {}


def revision(obj: Object) -> int:
    """The revision of a ReplicaSet or Deployment; 0 when it has none."""
    return int(annotations_of(obj).get(REVISION, "0"))


def newest_of(replica_sets: list[Object], wanted_hash: str) -> Object | None:
    """The ReplicaSet of the present template, or None."""
    for replica_set in replica_sets:
        if (replica_set["metadata"].get("labels") or {}).get(LABEL) == wanted_hash:
            return replica_set
    return None


def next_annotations(
    deployment: Object, newest: Object | None, others: list[Object]
) -> dict[str, str]:
    """The annotations that the newest ReplicaSet should have."""
    kept = dict(annotations_of(newest)) if newest is not None else {}
    copied = {
        name: text for name, text in annotations_of(deployment).items() if name not in _NOT_COPIED
    }
    annotations = {**kept, **copied}
    latest = max((revision(entry) for entry in others), default=0) + 1
    old = int(kept.get(REVISION, "0"))
    if old < latest:
        annotations[REVISION] = str(latest)
        if old:
            before = kept.get(HISTORY, "")
            listed = before.split(",") if before else []
            annotations[HISTORY] = ",".join([*listed, str(old)])
    return annotations
