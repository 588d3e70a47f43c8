"""Which nodes a pod admits by its selectors, affinity and tolerations.

Below both the scheduler, which asks it of every pod, and the controller of DaemonSets, which asks it
to know where its pods belong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object


def untolerated(pod: Object, node: Object, effects: tuple[str, ...]) -> Object | None:
    """The first taint of the node with one of these effects that the pod does not tolerate."""
    for taint in node["spec"].get("taints", ()):
        if taint["effect"] in effects and not any(
            tolerates(toleration, taint) for toleration in pod["spec"].get("tolerations", ())
        ):
            found: Object = taint
            return found
    return None


def tolerates(toleration: Object, taint: Object) -> bool:
    """Whether a toleration covers a taint."""
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")


def matches_affinity(pod: Object, node: Object) -> bool:
    """Node selector and required node affinity."""
    labels = node["metadata"].get("labels", {})
    for key, value in (pod["spec"].get("nodeSelector") or {}).items():
        if labels.get(key) != value:
            return False
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(term_matches(term, node) for term in required.get("nodeSelectorTerms", ()))


def term_matches(term: Object, node: Object) -> bool:
    """One term of a node selector; an empty one matches nothing."""
    expressions = term.get("matchExpressions") or []
    fields = term.get("matchFields") or []
    if not expressions and not fields:
        return False
    labels = node["metadata"].get("labels", {})
    names = {"metadata.name": node["metadata"]["name"]}
    return all(_expression(entry, labels) for entry in expressions) and all(
        _expression(entry, names) for entry in fields
    )


def _expression(entry: Object, labels: Mapping[str, str]) -> bool:
    value = labels.get(entry["key"])
    operator, values = entry["operator"], entry.get("values", ())
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    try:
        number = int(value) if value is not None else None
        limit = int(values[0])
    except (ValueError, IndexError):
        return False
    if number is None:
        return False
    return number > limit if operator == "Gt" else number < limit
