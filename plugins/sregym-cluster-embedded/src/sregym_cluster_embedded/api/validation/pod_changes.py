"""What may change in the spec of a pod that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, internal_types

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_FREE = ("activeDeadlineSeconds", "tolerations", "ephemeralContainers", "schedulingGates")
_POD_TEXT = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions "
    "to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
    "was previously negative)"
)


def changed(before: Object, after: Object) -> list[Cause]:
    """What must not change between two specs of a pod."""
    found: list[Cause] = []
    for field in ("containers", "initContainers"):
        if len(before.get(field) or ()) != len(after.get(field) or ()):
            text = "pod updates may not add or remove containers"
            return [*found, causes.forbidden(f"spec.{field}", text)]
    deadline, stop = _deadline(before, after)
    found += deadline
    if stop:
        return found
    found += _tolerations(before, after)
    gates = [gate.get("name") for gate in before.get("schedulingGates") or ()]
    for index, gate in enumerate(after.get("schedulingGates") or ()):
        if gate.get("name") not in gates:
            text = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            found.append(causes.forbidden(f"spec.schedulingGates[{index}].name", text))
    if gates:
        found += _selector(before, after)
        after = _with_old_place(before, after)
    return found + _rest(before, after)


def _deadline(before: Object, after: Object) -> tuple[list[Cause], bool]:
    """What is wrong with the deadline; whether the server looks no further."""
    field = "spec.activeDeadlineSeconds"
    old, new = before.get("activeDeadlineSeconds"), after.get("activeDeadlineSeconds")
    if new is not None and old is not None and old < new:
        return [causes.invalid(field, new, "must be less than or equal to previous value")], True
    if new is None and old is not None:
        text = "must not update from a positive integer to nil value"
        return [causes.invalid(field, None, text)], False
    return [], False


def _tolerations(before: Object, after: Object) -> list[Cause]:
    kept = [_timeless(entry) for entry in after.get("tolerations") or ()]
    if all(_timeless(entry) in kept for entry in before.get("tolerations") or ()):
        return []
    text = "existing toleration can not be modified except its tolerationSeconds"
    return [causes.forbidden("spec.tolerations", text)]


def _timeless(toleration: Object) -> Object:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _selector(before: Object, after: Object) -> list[Cause]:
    old, new = before.get("nodeSelector") or {}, after.get("nodeSelector") or {}
    if old.items() <= new.items():
        return []
    text = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
    return [causes.invalid("spec.nodeSelector", new, text)]


def _with_old_place(before: Object, after: Object) -> Object:
    """A pod that waits at a gate may be told more of where it belongs."""
    affinity = {k: v for k, v in (after.get("affinity") or {}).items() if k != "nodeAffinity"}
    old = (before.get("affinity") or {}).get("nodeAffinity")
    if old is not None:
        affinity["nodeAffinity"] = old
    result = {k: v for k, v in after.items() if k not in ("affinity", "nodeSelector")}
    if affinity or before.get("affinity") == {}:
        result["affinity"] = affinity
    if "nodeSelector" in before:
        result["nodeSelector"] = before["nodeSelector"]
    return result


def _rest(before: Object, after: Object) -> list[Cause]:
    if _frozen(before) == _frozen(after):
        return []
    shown = (internal_types.pod_spec(spec) for spec in (before, _with_free(before, after)))
    return [causes.forbidden("spec", f"{_POD_TEXT}\n{internal_types.difference(*shown)}")]


def _with_free(before: Object, after: Object) -> Object:
    """The new spec with what may change as it was."""
    result = {key: value for key, value in after.items() if key not in _FREE}
    result |= {key: before[key] for key in _FREE if key in before}
    for field in ("containers", "initContainers"):
        images = {item.get("name"): item.get("image") for item in before.get(field, ())}
        if field in result:
            result[field] = [
                {**item, "image": images.get(item.get("name"), item.get("image"))}
                for item in result[field]
            ]
    return result


def _frozen(spec: Object) -> Object:
    """The part of a pod spec that cannot change."""
    kept = {key: value for key, value in spec.items() if key not in _FREE}
    for field in ("containers", "initContainers"):
        if field in kept:
            kept[field] = [
                {key: value for key, value in container.items() if key != "image"}
                for container in kept[field]
            ]
    return kept
