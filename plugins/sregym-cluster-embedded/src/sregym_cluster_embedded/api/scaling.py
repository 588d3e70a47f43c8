"""The subresource `scale`: replicas of workloads, and of custom resources where they keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api import (
    body,
    custom,
    custom_versions,
    errors,
    media,
    reading,
    structural,
    writing,
)
from sregym_cluster_embedded.api.patches import jsonpatch, merge
from sregym_cluster_embedded.api.printers.words import selector as selector_text
from sregym_cluster_embedded.api.rendering import View, encode
from sregym_cluster_embedded.api.resource import Resource

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_LARGEST = 2**31
_SCALE = Resource("scales", "Scale", group="autoscaling")


class _Paths(NamedTuple):
    """Where an object keeps what a Scale shows; `selects`: the types with a `spec.selector`."""

    wanted: tuple[str, ...] = ("spec", "replicas")
    present: tuple[str, ...] = ("status", "replicas")
    selector: tuple[str, ...] = ()
    selects: bool = True


def scale(world: World, request: Request, target: Target) -> Response:
    """GET, PUT and PATCH of `scale`."""
    form = media.wanted(request.headers.get("accept", ""))
    obj = custom_versions.as_served(world, target.resource, reading.existing(world, target))
    paths = _paths(world, target.resource)
    shown = scale_of(obj, paths)
    if request.method in ("GET", "HEAD"):
        if form.kind == "Table":
            view = View(world, _SCALE, form, request.parameter("includeObject"), plain=True)
            return encode(view.one(shown), form)
        return encode(shown, form)
    warnings = body.Warnings()
    wanted = _wanted(request, shown, warnings)
    version = wanted.get("metadata", {}).get("resourceVersion")
    if version and version != obj["metadata"]["resourceVersion"]:
        raise errors.conflict(target.resource, target.name)
    replicas = wanted.get("spec", {}).get("replicas", 0)
    if replicas < 0:
        cause = errors.Cause(
            "spec.replicas", f"Invalid value: {replicas}: must be greater than or equal to 0"
        )
        raise errors.invalid("autoscaling", "Scale", target.name, [cause])
    new, _ = structural.read(world, target.resource, _with(obj, paths.wanted, replicas))
    stored = writing.write(world, request, target, obj, new, warnings)
    return encode(scale_of(stored, paths), form, headers=warnings.headers())


def _wanted(request: Request, shown: Object, warnings: body.Warnings) -> Object:
    """The Scale that a client wants, checked."""
    given = body.parsed(request)
    if request.method == "PATCH":
        kind = body.media_type(request)
        if kind == writing.JSON_PATCH:
            given = jsonpatch.apply(shown, given)
        elif isinstance(given, dict):
            given = merge.apply(shown, given)
            if kind == writing.STRATEGIC_PATCH and isinstance(given, dict):
                # What such a patch makes is read into a Scale, whatever it calls itself.
                given |= {name: shown[name] for name in ("apiVersion", "kind")}
    return body.typed(request, given, "autoscaling", "v1", "Scale", warnings)


def _paths(world: World, resource: Resource) -> _Paths:
    version = custom.version_of(world, resource)
    if version is None:
        return _Paths()
    said = version.get("subresources", {}).get("scale", {})
    return _Paths(
        _split(said.get("specReplicasPath", "")),
        _split(said.get("statusReplicasPath", "")),
        _split(said.get("labelSelectorPath", "")),
        selects=False,
    )


def _split(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split(".") if part)


def scale_of(obj: Object, paths: _Paths | None = None) -> Object:
    """The Scale of an object."""
    paths = paths or _Paths()
    metadata = {
        field: obj["metadata"][field]
        for field in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        if field in obj["metadata"]
    }
    replicas = _number(_at(obj, paths.wanted))
    status: Object = {"replicas": _number(_at(obj, paths.present))}
    if paths.selects:
        given = obj.get("spec", {}).get("selector")
        text = selector_text(
            given if given is None or "matchLabels" in given else {"matchLabels": given}
        )
        status["selector"] = text
    elif _at(obj, paths.selector):
        status["selector"] = str(_at(obj, paths.selector))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def _at(obj: Any, path: tuple[str, ...]) -> Any:
    if not path:
        return None
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return obj


def _number(value: Any) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and abs(value) < _LARGEST else 0


def _with(obj: Object, path: tuple[str, ...], value: int) -> Object:
    if not path:
        return obj
    first, rest = path[0], path[1:]
    if not rest:
        return {**obj, first: value}
    below = obj.get(first)
    return {**obj, first: _with(below if isinstance(below, dict) else {}, rest, value)}
