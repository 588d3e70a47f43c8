"""Which volumes can serve a claim, and from which nodes.

Below both the scheduler, which chooses volumes for claims that wait for their first pod, and the
controller that binds all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.placement import term_matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_cluster_embedded.store import Object


def reachable(volume: Object, node: Object) -> bool:
    """Whether pods on `node` can use the volume."""
    required = (volume["spec"].get("nodeAffinity") or {}).get("required")
    if not required:
        return True
    return any(term_matches(term, node) for term in required.get("nodeSelectorTerms", ()))


def refers_to(volume: Object, claim: Object) -> bool:
    """Whether a volume is held for this claim by its claimRef."""
    reference = volume["spec"].get("claimRef")
    if reference is None:
        return False
    metadata = claim["metadata"]
    same = (reference["namespace"], reference["name"]) == (metadata["namespace"], metadata["name"])
    return bool(same and reference.get("uid", metadata["uid"]) == metadata["uid"])


def serves(volume: Object, claim: Object, node: Object | None) -> bool:
    """Whether a volume has what a claim asks for; with `node`, also whether pods there reach it."""
    if mismatch(volume, claim):
        return False
    labels = volume["metadata"].get("labels") or {}
    selector = claim["spec"].get("selector")
    if selector and not _selected(selector, labels):
        return False
    return node is None or reachable(volume, node)


def mismatch(volume: Object, claim: Object) -> str:
    """What a volume lacks for a claim, as the controller words it; empty when nothing."""
    spec, wanted = volume["spec"], claim["spec"]
    if "deletionTimestamp" in volume["metadata"]:
        return f'the volume is marked for deletion "{volume["metadata"]["name"]}"'
    if _too_small(volume, claim):
        return "requested PV is too small"
    if (spec.get("storageClassName") or "") != (wanted.get("storageClassName") or ""):
        return "storageClassName does not match"
    if _other_mode(volume, claim):
        return "incompatible volumeMode"
    if not set(wanted.get("accessModes", ())) <= set(spec.get("accessModes", ())):
        return "incompatible accessMode"
    return ""


def _too_small(volume: Object, claim: Object) -> bool:
    asked = claim["spec"].get("resources", {}).get("requests", {}).get("storage", "0")
    return bool(parse(volume["spec"]["capacity"]["storage"]) < parse(asked))


def _other_mode(volume: Object, claim: Object) -> bool:
    modes = [entry["spec"].get("volumeMode", "Filesystem") for entry in (volume, claim)]
    return bool(modes[0] != modes[1])


def _unusable(volume: Object, claim: Object, node: Object | None) -> bool:
    """Whether a volume that is held for a claim cannot be bound to it all the same."""
    modes = set(claim["spec"].get("accessModes", ()))
    return (
        "deletionTimestamp" in volume["metadata"]
        or _too_small(volume, claim)
        or _other_mode(volume, claim)
        or (node is None and not modes <= set(volume["spec"].get("accessModes", ())))
    )


def best(volumes: Iterable[Object], claim: Object, node: Object | None) -> Object | None:
    """The volume held for the claim, or the smallest free one that serves it, or None.

    With `node`, as the scheduler asks; without, as the controller of volumes does, who looks only
    at volumes that have the claim's access modes. Where the one that is held is out of reach of the
    node, no other will do.
    """
    candidates = []
    for volume in volumes:
        if volume["spec"].get("claimRef") is not None:
            if refers_to(volume, claim) and not _unusable(volume, claim, node):
                return volume if node is None or reachable(volume, node) else None
        elif serves(volume, claim, node):
            candidates.append(volume)
    return min(
        candidates,
        key=lambda entry: (parse(entry["spec"]["capacity"]["storage"]), entry["metadata"]["name"]),
        default=None,
    )


def _selected(selector: Object, labels: Mapping[str, str]) -> bool:
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for entry in selector.get("matchExpressions") or ():
        has, values = labels.get(entry["key"]), entry.get("values") or ()
        fits = {
            "In": has in values,
            "NotIn": has not in values,
            "Exists": has is not None,
            "DoesNotExist": has is None,
        }[entry["operator"]]
        if not fits:
            return False
    return True
