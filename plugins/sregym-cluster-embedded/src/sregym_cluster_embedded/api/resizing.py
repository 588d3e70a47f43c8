"""pods/NAME/resize: other resources for the containers of a pod, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.pod_requests import counted, requests_of
from sregym_cluster_embedded.api.quality import qos_class
from sregym_cluster_embedded.api.validation import causes, internal_types
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_GROUPS = ("initContainers", "containers")
_RESIZABLE = frozenset({"cpu", "memory"})
_SIDES = ("limits", "requests")
_MIRROR = "kubernetes.io/config.mirror"
_QOS_TEXT = "Pod QOS Class may not change as a result of resizing"


def resized(old: Object, new: Object) -> Object:
    """`old` with the resources of `new`, of the containers and of the whole pod.

    Whatever else differs is dropped.
    """
    spec, wanted_spec = dict(old["spec"]), new.get("spec", {})
    for group in _GROUPS:
        wanted = {item.get("name"): item for item in wanted_spec.get(group) or ()}
        if group in spec:
            spec[group] = [_with_resources(item, wanted.get(item["name"])) for item in spec[group]]
    if wanted_spec.get("resources") is not None:
        spec["resources"] = wanted_spec["resources"]
    return {**old, "spec": spec}


def _with_resources(container: Object, wanted: Object | None) -> Object:
    if wanted is None:
        return container
    found = {**container, "resources": wanted.get("resources") or {}}
    if "resizePolicy" in wanted:
        found["resizePolicy"] = wanted["resizePolicy"]
    return found


def refusals(old: Object, new: Object) -> list[Cause]:
    """Why a running pod cannot be resized so."""
    if _MIRROR in (old["metadata"].get("annotations") or {}):
        return [causes.forbidden("", "static pods cannot be resized")]
    if (old["spec"].get("os") or {}).get("name") == "windows":
        return [causes.forbidden("", "windows pods cannot be resized")]
    found: list[Cause] = []
    before, after = qos_class(old["spec"]), qos_class(new["spec"])
    if before != after:
        found.append(causes.invalid("spec", before, _QOS_TEXT))
    for path, was, is_ in _pairs(old["spec"], new["spec"]):
        found += _removed(path, was, is_)
    kept = _kept(old["spec"], new["spec"])
    if kept != _kept(old["spec"], old["spec"]):
        shown = (internal_types.pod_spec(spec) for spec in (old["spec"], kept))
        text = f"only cpu and memory resources are mutable\n{internal_types.difference(*shown)}"
        found.append(causes.forbidden("spec", text))
    return found


def check_node(world: World, kind: Resource, pod: Object) -> None:
    """Refuse what a pod's node could not give even if nothing else ran there.

    Raises:
        errors.ApiError: Forbidden.
    """
    node = world.store.get(Key("nodes", "", pod["spec"].get("nodeName", "")))
    if node is None:
        return
    allocatable = node.get("status", {}).get("allocatable", {})
    asked = requests_of(pod["spec"])
    lacking = [
        f"{name}, requested: {asked[name]}, allocatable: {there}"
        for name in ("cpu", "memory")
        if asked.get(name, 0) > (there := counted(name, allocatable.get(name, "0")))
    ]
    if lacking:
        why = f"node didn't have enough allocatable resources: {'; '.join(lacking)}"
        raise errors.forbidden(kind, pod["metadata"]["name"], why)


def _pairs(old: Object, new: Object) -> Iterator[tuple[str, Object, Object]]:
    for group in _GROUPS:
        for index, (was, is_) in enumerate(
            zip(old.get(group, ()), new.get(group, ()), strict=True)
        ):
            yield (
                f"spec.{group}[{index}].resources",
                was.get("resources") or {},
                is_.get("resources") or {},
            )
    if old.get("resources") is not None:
        yield "spec.resources", old["resources"], new.get("resources") or {}


def _removed(path: str, was: Object, is_: Object) -> list[Cause]:
    found = []
    for field, word in (("limits", "resource limits"), ("requests", "resource requests")):
        gone = (was.get(field) or {}).keys() - (is_.get(field) or {}).keys()
        if gone & _RESIZABLE:
            found.append(causes.forbidden(f"{path}.{field}", f"{word} cannot be removed"))
    return found


def _kept(old: Object, new: Object) -> Object:
    """`new` with the processors and memory of `old`: what may not differ from it."""
    spec = dict(new)
    for group in _GROUPS:
        if group in spec:
            spec[group] = [
                {**is_, "resources": _restored(was.get("resources"), is_.get("resources"))}
                for was, is_ in zip(old.get(group, ()), spec[group], strict=True)
            ]
    if old.get("resources") is not None:
        spec["resources"] = _restored(old["resources"], new.get("resources"))
    return spec


def _restored(was: Object | None, is_: Object | None) -> Object:
    result: dict[str, Any] = {
        field: value for field, value in (is_ or {}).items() if field not in _SIDES
    }
    for field in _SIDES:
        before = (was or {}).get(field)
        if not before:
            continue  # As in the server: where there was none, nothing is compared.
        after = (is_ or {}).get(field) or {}
        result[field] = {
            **{name: text for name, text in after.items() if name not in _RESIZABLE},
            **{name: text for name, text in before.items() if name in _RESIZABLE},
        }
    return result
