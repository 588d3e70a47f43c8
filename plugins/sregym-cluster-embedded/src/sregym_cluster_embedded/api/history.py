"""What a server remembers of the past: lists at a revision, and how far back a watch may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.store import Change, ChangeType, Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Made by the server when it starts: what was before it, its watch cache never saw.
_FIRST = Key("services", "default", "kubernetes")
_MATCHES = ("Exact", "NotOlderThan")
_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the first "
    "chunk was returned and now may show up in the list."
)


def floor(world: World) -> int:
    """The oldest revision that is remembered."""
    oldest = world.store.history[0].revision - 1 if world.store.history else 0
    first = world.store.get(_FIRST)
    return oldest if first is None else max(oldest, int(first["metadata"]["resourceVersion"]))


def at(world: World, resource: str, namespace: str, revision: int) -> list[Object]:
    """The objects of a type as they were, sorted by namespace and name; "" for all namespaces.

    Raises:
        errors.ApiError: Expired: that is forgotten.
    """
    if revision < floor(world):
        raise errors.resource_expired(_TOO_OLD)
    present = {
        (obj["metadata"].get("namespace", ""), obj["metadata"]["name"]): obj
        for obj in world.store.list(resource, namespace or None)
    }
    for change in _since(world, revision):
        place = (change.key.namespace, change.key.name)
        if change.key.resource != resource or (namespace and place[0] != namespace):
            continue
        if change.type is ChangeType.ADDED or change.old is None:
            present.pop(place, None)
        else:
            present[place] = change.old
    return [present[place] for place in sorted(present)]


def _since(world: World, revision: int) -> list[Change]:
    """The changes after a revision, the latest first."""
    found: list[Change] = []
    for change in reversed(world.store.history):
        if change.revision <= revision:
            break
        found.append(change)
    return found


def continued(
    world: World, resource: str, namespace: str, revision: int, token: str
) -> list[Object]:
    """The objects of a list in pages, as they were when it began.

    Raises:
        errors.ApiError: Expired, with a token to go on with the present objects.
    """
    if 0 < revision < floor(world):
        error = errors.resource_expired(_CONTINUE_TOO_OLD)
        error.status["metadata"] = {"continue": token}
        raise error
    return at(world, resource, namespace, revision or world.store.revision)


def check_options(request: Request, *, watching: bool) -> None:
    """Refuse combinations of list options that mean nothing.

    Raises:
        errors.ApiError: Invalid, with all causes.
    """
    match = request.parameter("resourceVersionMatch")
    revision, token = request.parameter("resourceVersion"), request.parameter("continue")
    initial = request.parameter("sendInitialEvents")
    found: list[errors.Cause] = []
    if watching:
        found = _watch_causes(match, initial)
    elif initial:
        found = [_forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]
    elif match:
        place = "resourceVersionMatch"
        if not revision:
            text = "resourceVersionMatch is forbidden unless resourceVersion is provided"
            found.append(_forbidden(place, text))
        if token:
            found.append(
                _forbidden(place, "resourceVersionMatch is forbidden when continue is provided")
            )
        if match not in _MATCHES:
            found.append(_unsupported(match))
        if match == "Exact" and revision == "0":
            text = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            found.append(_forbidden(place, text))
    if found:
        raise errors.invalid("meta.k8s.io", "ListOptions", "", found)


def _watch_causes(match: str, initial: str) -> list[errors.Cause]:
    place = "resourceVersionMatch"
    if not initial:
        text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        return [_forbidden(place, text)] if match else []
    found: list[errors.Cause] = []
    if match != "NotOlderThan":
        text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        found.append(_forbidden(place, text))
    if match and match not in _MATCHES:
        found.append(_unsupported(match))
    return found


def _forbidden(field: str, text: str) -> errors.Cause:
    return errors.Cause(field, f"Forbidden: {text}", "FieldValueForbidden")


def _unsupported(match: str) -> errors.Cause:
    text = f'Unsupported value: "{match}": supported values: "Exact", "NotOlderThan", ""'
    return errors.Cause("resourceVersionMatch", text, "FieldValueNotSupported")
