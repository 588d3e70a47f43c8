"""The subresource `scale`: replicas of workloads, and of custom resources where they keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import (
    body,
    custom,
    custom_versions,
    errors,
    media,
    read_requests,
    rest_mutations,
    structural,
)
from sregym_cluster_embedded.api.patches import jsonpatch, merge
from sregym_cluster_embedded.api.rendering import View, encode
from sregym_cluster_embedded.api.resource import Resource
from sregym_cluster_embedded.api.scales import Paths, scale_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_SCALE = Resource("scales", "Scale", group="autoscaling")


def scale(world: World, request: Request, target: Target) -> Response:
    """GET, PUT and PATCH of `scale`."""
    form = media.negotiate(request.headers.get("accept", ""))
    obj = custom_versions.as_served(world, target.resource, read_requests.existing(world, target))
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
    stored = rest_mutations.write(world, request, target, obj, new, warnings)
    return encode(scale_of(stored, paths), form, headers=warnings.headers())


def _wanted(request: Request, shown: Object, warnings: body.Warnings) -> Object:
    """The Scale that a client wants, checked."""
    given = body.parsed(request)
    if request.method == "PATCH":
        kind = body.media_type(request)
        if kind == rest_mutations.JSON_PATCH:
            given = jsonpatch.apply(shown, given)
        elif isinstance(given, dict):
            given = merge.apply(shown, given)
            if kind == rest_mutations.STRATEGIC_PATCH and isinstance(given, dict):
                # What such a patch makes is read into a Scale, whatever it calls itself.
                given |= {name: shown[name] for name in ("apiVersion", "kind")}
    return body.typed(request, given, "autoscaling", "v1", "Scale", warnings)


def _paths(world: World, resource: Resource) -> Paths:
    version = custom.version_of(world, resource)
    if version is None:
        return Paths()
    said = version.get("subresources", {}).get("scale", {})
    return Paths(
        _split(said.get("specReplicasPath", "")),
        _split(said.get("statusReplicasPath", "")),
        _split(said.get("labelSelectorPath", "")),
        selects=False,
    )


def _split(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split(".") if part)


def _with(obj: Object, path: tuple[str, ...], value: int) -> Object:
    if not path:
        return obj
    first, rest = path[0], path[1:]
    if not rest:
        return {**obj, first: value}
    below = obj.get(first)
    return {**obj, first: _with(below if isinstance(below, dict) else {}, rest, value)}
