"""Get, list and watch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import components, continuing, errors, history, media, selectors
from sregym_cluster_embedded.api.keys import HEARTBEATS
from sregym_cluster_embedded.api.rendering import META, View, encode
from sregym_cluster_embedded.api.request import Response, Watch
from sregym_cluster_embedded.store import ChangeType, Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

INITIAL_END = "k8s.io/initial-events-end"
# Types whose objects the service `heartbeats` brings up to date when they are read.
_LIVING = ("nodes", "leases.coordination.k8s.io")
# A server ends a watch by itself after one to two of these.
_WATCH_S = 1800


@dataclass(frozen=True)
class Selection:
    """Which objects of a type a request is about."""

    namespace: str
    name: str
    labels: selectors.Requirements
    fields: tuple[selectors.FieldCondition, ...]

    def matches(self, obj: Object) -> bool:
        """Whether an object belongs to it."""
        metadata = obj["metadata"]
        if self.namespace and metadata.get("namespace", "") != self.namespace:
            return False
        if self.name and metadata["name"] != self.name:
            return False
        if self.labels and not selectors.labels_match(self.labels, metadata.get("labels", {})):
            return False
        return all(condition.matches(obj) for condition in self.fields)


def selection(request: Request, target: Target) -> Selection:
    """The selection of a request for a collection."""
    resource = target.resource
    fields = request.parameter("fieldSelector")
    return Selection(
        target.namespace,
        target.name,
        selectors.parse_labels(request.parameter("labelSelector")),
        selectors.parse_fields(fields, resource.name, resource.selectable),
    )


def select(world: World, target: Target, wanted: Selection) -> list[Object]:
    """The objects of a selection, sorted by namespace and name."""
    if target.resource.name == components.RESOURCE:
        objects = components.listed()
    else:
        objects = world.store.list(target.resource.name, target.namespace or None)
    if target.resource.name in _LIVING:
        objects = [*map(_present(world, target), objects)]
    if not wanted.labels and not wanted.fields and not wanted.name:
        return objects
    return [obj for obj in objects if wanted.matches(obj)]


def get(world: World, request: Request, target: Target) -> Response:
    """One object."""
    form = media.negotiate(request.headers.get("accept", ""))
    revision(world, request, "resourceVersion")
    obj = _present(world, target)(existing(world, target))
    view = View(world, target.resource, form, request.parameter("includeObject"), request.plain)
    return encode(view.one(obj), form)


def _present(world: World, target: Target) -> Callable[[Object], Object]:
    """What makes the present object of a stored one: signs of life are not written but derived."""
    name = target.resource.name
    fresh = world.service_or_none(HEARTBEATS) if name in _LIVING else None
    return (lambda obj: obj) if fresh is None else partial(fresh, world, name)


def existing(world: World, target: Target) -> Object:
    """The object that a target names.

    Raises:
        errors.ApiError: NotFound.
    """
    if target.resource.name == components.RESOURCE:
        obj = components.named(target.name)
    else:
        obj = world.store.get(Key(target.resource.name, target.namespace, target.name))
    if obj is None:
        raise errors.not_found(target.resource, target.name)
    return obj


def list_(world: World, request: Request, target: Target) -> Response:
    """A collection, in pages when the client sets a limit."""
    form = media.negotiate(request.headers.get("accept", ""))
    limit = _integer(request, "limit")
    history.check_options(request, watching=False)
    at = revision(world, request, "resourceVersion")
    wanted = selection(request, target)
    token = request.parameter("continue")
    if token and at:
        raise errors.bad_request("specifying resource version is not allowed when using continue")
    start, since = continuing.start_of(token) if token else (("", ""), 0)
    exact = at is not None and request.parameter("resourceVersionMatch") == "Exact"
    # An old client that asks for pages of a revision means exactly that one.
    if at and limit > 0 and not request.parameter("resourceVersionMatch"):
        exact = True
    if exact or (since and since != world.store.revision):
        objects = _earlier(world, target, wanted, (at if exact else since) or 0, start, exact)
        seen = (at if exact else since) or 0
    else:
        objects, seen = select(world, target, wanted), world.store.revision
    metadata: dict[str, Any] = {"resourceVersion": str(seen)}
    if target.resource.name == components.RESOURCE:
        metadata = {}
    if token:
        objects = [obj for obj in objects if _place(obj) > start]
    if 0 < limit < len(objects):
        rest = len(objects) - limit
        objects = objects[:limit]
        metadata["continue"] = continuing.token(seen, _place(objects[-1]))
        if not wanted.labels and not wanted.fields:
            metadata["remainingItemCount"] = rest
    view = View(world, target.resource, form, request.parameter("includeObject"), request.plain)
    return encode(view.many(objects, metadata), form)


def revision(world: World, request: Request, name: str) -> int | None:
    """A resourceVersion parameter; None when it is not given.

    Raises:
        errors.ApiError: BadRequest when it is no number, Timeout when it is not reached yet.
    """
    text = request.parameter(name)
    if not text:
        return None
    if not text.isdecimal():
        raise errors.bad_request(
            f'invalid resource version: {name}: Invalid value: "{text}": '
            f'strconv.ParseUint: parsing "{text}": invalid syntax'
        )
    number = int(text)
    if number > world.store.revision:
        message = f"Too large resource version: {number}, current: {world.store.revision}"
        cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
        raise errors.timeout(f"Timeout: {message}", {"causes": [cause], "retryAfterSeconds": 1})
    return number


def watch(world: World, request: Request, target: Target) -> Watch | Response:
    """A stream of changes, from a revision or from the present state on."""
    form = media.negotiate(request.headers.get("accept", ""))
    history.check_options(request, watching=True)
    wanted = selection(request, target)
    start = revision(world, request, "resourceVersion")
    events = _Events(
        View(world, target.resource, form, request.parameter("includeObject"), plain=True), form
    )
    initial: list[bytes] = []
    bookmarks = request.flag("allowWatchBookmarks")
    listed = request.flag("sendInitialEvents")
    if listed or not start:
        since = world.store.revision
        initial = [events.event("ADDED", obj) for obj in select(world, target, wanted)]
        if listed and bookmarks:
            initial.append(_bookmark(target, form, since, {INITIAL_END: "true"}))
    else:
        since = start
        oldest = history.floor(world)
        if since < oldest:
            gone = errors.resource_expired(f"too old resource version: {since} ({oldest})")
            return Response(200, events.line("ERROR", gone.status))
    timeout = _integer(request, "timeoutSeconds")
    if not timeout:
        timeout = int(_WATCH_S * (1 + world.seed.fraction("watch", since, request.path)))
    return Watch(
        initial=tuple(initial),
        since=since,
        render=_renderer(target, wanted, events),
        bookmark=(lambda at: _bookmark(target, form, at, {})) if bookmarks else None,
        timeout_s=float(timeout),
    )


class _Events:
    """Encodes watch events; of a table only the first one carries the columns."""

    def __init__(self, view: View, form: media.Form) -> None:
        self._view = view
        self._table = form.kind == "Table"
        self._columns_sent = False

    def event(self, type_: str, obj: Object) -> bytes:
        try:
            return self._event(type_, obj)
        except errors.ApiError as error:
            return self.line("ERROR", error.status)

    def _event(self, type_: str, obj: Object) -> bytes:
        if not self._table:
            return self.line(type_, self._view.one(obj))
        metadata = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
        table = self._view.table([obj], metadata, not self._columns_sent)
        self._columns_sent = True
        return self.line(type_, table)

    @staticmethod
    def line(type_: str, obj: Object) -> bytes:
        return orjson.dumps({"type": type_, "object": obj}) + b"\n"


def _renderer(
    target: Target, wanted: Selection, events: _Events
) -> Callable[[Change], bytes | None]:
    resource = target.resource.name

    def render(change: Change) -> bytes | None:
        if change.key.resource != resource:
            return None
        before = change.old is not None and wanted.matches(change.old)
        after = change.type is not ChangeType.DELETED and wanted.matches(change.obj)
        if after:
            return events.event("MODIFIED" if before else "ADDED", change.obj)
        if not before:
            return None
        if change.type is ChangeType.DELETED:
            return events.event("DELETED", change.obj)
        # The object left the selection: the watcher sees it as it was, at the new revision.
        assert change.old is not None
        at = {"resourceVersion": change.obj["metadata"]["resourceVersion"]}
        return events.event("DELETED", {**change.old, "metadata": change.old["metadata"] | at})

    return render


def _bookmark(target: Target, form: media.Form, at: int, annotations: dict[str, str]) -> bytes:
    metadata: dict[str, Any] = {"resourceVersion": str(at), "creationTimestamp": None}
    if annotations:
        metadata["annotations"] = annotations
    obj: dict[str, Any] = {
        "kind": target.resource.kind,
        "apiVersion": target.resource.api_version,
        "metadata": metadata,
    }
    if form.kind in ("PartialObjectMetadata", "PartialObjectMetadataList"):
        obj |= {"kind": "PartialObjectMetadata", "apiVersion": META}
    elif form.kind == "Table":
        partial = {"kind": "PartialObjectMetadata", "apiVersion": META, "metadata": metadata}
        obj = {
            "kind": "Table",
            "apiVersion": META,
            "metadata": {"resourceVersion": str(at)},
            "columnDefinitions": None,
            "rows": [{"cells": [], "object": partial}],
        }
    return _Events.line("BOOKMARK", obj)


def _integer(request: Request, name: str) -> int:
    text = request.parameter(name)
    if not text:
        return 0
    try:
        return int(text)
    except ValueError:
        raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def _place(obj: Object) -> tuple[str, str]:
    """Where an object stands in its collection."""
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _earlier(
    world: World,
    target: Target,
    wanted: Selection,
    at: int,
    start: tuple[str, str],
    exact: bool,
) -> list[Object]:
    """The objects of a selection as they were."""
    name, namespace = target.resource.name, target.namespace
    if exact:
        objects = history.at(world, name, namespace, at)
    else:
        anew = continuing.token(-1, start)
        objects = history.continued(world, name, namespace, at, anew)
    return [obj for obj in objects if wanted.matches(obj)]
