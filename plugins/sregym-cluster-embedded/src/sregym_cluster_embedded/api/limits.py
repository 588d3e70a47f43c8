"""LimitRanges: what they set in new pods, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.quantity import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_ANNOTATION = "kubernetes.io/limit-ranger"


def _limits(world: World, namespace: str, type_: str) -> Iterator[Object]:
    for entry in world.store.list("limitranges", namespace):
        for limit in entry["spec"].get("limits") or ():
            if limit["type"] == type_:
                yield limit


def with_defaults(world: World, obj: Object) -> Object:
    """A new pod whose containers have the requests and limits of their namespace."""
    namespace = obj["metadata"]["namespace"]
    ranges = list(_limits(world, namespace, "Container"))
    if not ranges:
        return obj
    requests: Object = {}
    limits: Object = {}
    for limit in ranges:
        requests |= limit.get("defaultRequest", {})
        limits |= limit.get("default", {})
    spec = dict(obj["spec"])
    said: list[str] = []
    for field, word in (("containers", "container"), ("initContainers", "init container")):
        if field in spec:
            filled = [_filled(item, requests, limits, word, said) for item in spec[field]]
            spec[field] = filled
    if not said:
        return obj
    note = {_ANNOTATION: f"LimitRanger plugin set: {'; '.join(said)}"}
    metadata = obj["metadata"]
    metadata = {**metadata, "annotations": {**metadata.get("annotations", {}), **note}}
    return {**obj, "metadata": metadata, "spec": spec}


def _filled(
    container: Object, requests: Object, limits: Object, word: str, said: list[str]
) -> Object:
    resources = dict(container.get("resources", {}))
    for field, defaults, noun in (("requests", requests, "request"), ("limits", limits, "limit")):
        given = resources.get(field, {})
        missing = sorted(defaults.keys() - given.keys())
        if missing:
            resources[field] = {**given, **{name: defaults[name] for name in missing}}
            said.append(f"{', '.join(missing)} {noun} for {word} {container.get('name', '')}")
    return {**container, "resources": resources}


def check(world: World, kind: Resource, obj: Object) -> None:
    """Refuse what lies outside the ranges of its namespace.

    Raises:
        errors.ApiError: Forbidden, with all violations.
    """
    namespace = obj["metadata"].get("namespace", "")
    if kind.name == "persistentvolumeclaims":
        found = _claim(world, namespace, obj)
    else:
        found = _pod(world, namespace, obj)
    if found:
        text = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
        raise errors.forbidden(kind, obj["metadata"]["name"], text)


def _pod(world: World, namespace: str, obj: Object) -> list[str]:
    found: list[str] = []
    containers = obj["spec"].get("containers", [])
    for limit in _limits(world, namespace, "Container"):
        for container in [*containers, *obj["spec"].get("initContainers", ())]:
            resources = container.get("resources", {})
            asked, capped = resources.get("requests", {}), resources.get("limits", {})
            found += _violations("Container", limit, asked, capped)
    for limit in _limits(world, namespace, "Pod"):
        asked = _total(containers, "requests")
        found += _violations("Pod", limit, asked, _total(containers, "limits"))
    return found


def _total(containers: list[Object], field: str) -> Object:
    """The sum over containers; a single value keeps the form it was written in."""
    texts: dict[str, list[str]] = {}
    for container in containers:
        for name, text in container.get("resources", {}).get(field, {}).items():
            texts.setdefault(name, []).append(text)
    return {
        name: given[0] if len(given) == 1 else str(sum(parse(text) for text in given))
        for name, given in texts.items()
    }


def _violations(type_: str, limit: Object, asked: Object, capped: Object) -> list[str]:
    found: list[str] = []
    for name, bound in sorted(limit.get("min", {}).items()):
        head = f"minimum {name} usage per {type_} is {bound}"
        if name not in asked:
            found.append(f"{head}.  No request is specified")
        elif parse(asked[name]) < parse(bound):
            found.append(f"{head}, but request is {asked[name]}")
        elif name in capped and parse(capped[name]) < parse(bound):
            found.append(f"{head}, but limit is {capped[name]}")
    for name, bound in sorted(limit.get("max", {}).items()):
        head = f"maximum {name} usage per {type_} is {bound}"
        if name not in capped:
            found.append(f"{head}.  No limit is specified")
        elif parse(capped[name]) > parse(bound):
            found.append(f"{head}, but limit is {capped[name]}")
        elif name in asked and parse(asked[name]) > parse(bound):
            found.append(f"{head}, but request is {asked[name]}")
    for name, bound in sorted(limit.get("maxLimitRequestRatio", {}).items()):
        found += _ratio(type_, name, bound, asked.get(name), capped.get(name))
    return found


def _ratio(type_: str, name: str, bound: Any, asked: Any, capped: Any) -> list[str]:
    head = f"{name} max limit to request ratio per {type_} is {bound}"
    if not asked or parse(asked) == 0:
        return [f"{head}, but no request is specified or request is 0"]
    if not capped or parse(capped) == 0:
        return [f"{head}, but no limit is specified or limit is 0"]
    ratio = parse(capped) / parse(asked)
    return [f"{head}, but provided ratio is {ratio:.6f}"] if ratio > parse(bound) else []


def _claim(world: World, namespace: str, obj: Object) -> list[str]:
    found: list[str] = []
    asked = obj["spec"].get("resources", {}).get("requests", {})
    for limit in _limits(world, namespace, "PersistentVolumeClaim"):
        for word, field, sign in (("minimum", "min", 1), ("maximum", "max", -1)):
            for name, bound in sorted(limit.get(field, {}).items()):
                head = f"{word} {name} usage per PersistentVolumeClaim is {bound}"
                if name not in asked:
                    found.append(f"{head}.  No request is specified")
                elif sign * parse(asked[name]) < sign * parse(bound):
                    found.append(f"{head}, but request is {asked[name]}")
    return found
