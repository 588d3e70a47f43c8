"""What controllers ask of pods: readiness, age, relevance, and how one is made from a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Change, Object


_FINISHED = ("Succeeded", "Failed")


def condition(pod: Object, name: str) -> Object | None:
    """A condition of an object's status, or None."""
    for entry in pod.get("status", {}).get("conditions", ()):
        if entry["type"] == name:
            found: Object = entry
            return found
    return None


def is_ready(pod: Object) -> bool:
    """Whether the pod's Ready condition is True."""
    for entry in pod["status"].get("conditions", ()):
        if entry["type"] == "Ready":
            return bool(entry["status"] == "True")
    return False


def is_active(pod: Object) -> bool:
    """Neither finished nor being deleted."""
    return (
        "deletionTimestamp" not in pod["metadata"] and pod["status"].get("phase") not in _FINISHED
    )


def is_terminating(pod: Object) -> bool:
    """Being deleted and not finished yet."""
    return "deletionTimestamp" in pod["metadata"] and pod["status"].get("phase") not in _FINISHED


def matters(change: Change) -> bool:
    """Whether a write of a pod can change what a controller of pods decides."""
    if counts(change):
        return True
    assert change.old is not None
    before, after = change.old.get("status", {}), change.obj.get("status", {})
    return before is not after and (
        before.get("phase") != after.get("phase") or before.get("podIP") != after.get("podIP")
    )


def counts(change: Change) -> bool:
    """Whether a write changes how a pod is counted: that it lives, is ready, or whose it is."""
    old, new = change.old, change.obj
    if old is None or change.type == "DELETED":
        return True
    before, after = old["metadata"], new["metadata"]
    if ("deletionTimestamp" in before) != ("deletionTimestamp" in after):
        return True
    for field in ("labels", "ownerReferences"):
        known, told = before.get(field), after.get(field)
        if known is not told and known != told:
            return True
    before, after = old.get("status", {}), new.get("status", {})
    return before is not after and (
        (before.get("phase") in _FINISHED) != (after.get("phase") in _FINISHED)
        or is_ready(old) != is_ready(new)
    )


def selects(selector: Object | None, labels: dict[str, str]) -> bool:
    """Whether a label selector (matchLabels, matchExpressions) fits these labels."""
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for entry in selector.get("matchExpressions") or ():
        has = labels.get(entry["key"])
        operator, values = entry["operator"], entry.get("values") or ()
        fits = {
            "In": has in values,
            "NotIn": has not in values,
            "Exists": has is not None,
            "DoesNotExist": has is None,
        }[operator]
        if not fits:
            return False
    return True


def owner_reference(owner: Object) -> Object:
    """The reference by which a controller marks what it made."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def from_template(owner: Object, generate_name: str) -> Object:
    """A new pod of a workload: its template's metadata and spec, owned by the workload."""
    template = owner["spec"]["template"]
    given = template.get("metadata") or {}
    metadata = {
        "generateName": generate_name,
        "namespace": owner["metadata"]["namespace"],
        "ownerReferences": [owner_reference(owner)],
    }
    for field in ("labels", "annotations", "finalizers"):
        if given.get(field):
            metadata[field] = given[field]
    return {"metadata": metadata, "spec": template["spec"]}
