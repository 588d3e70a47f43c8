"""Priority and fairness: flow schemas of requests, response headers, priority levels without seats.

The server itself is always fast enough: no request waits for others. A priority level without seats of
its own that may borrow none serves none, though: its requests are refused.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.access import attributes
from sregym_cluster_embedded.api.dynamic.attributes import kubelet_of
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.api.access.attributes import Attributes
    from sregym_cluster_embedded.api.request import Request, User
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

SCHEMAS = "flowschemas.flowcontrol.apiserver.k8s.io"
LEVELS = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io"
_LASTING = frozenset({"attach", "exec", "log", "portforward", "proxy"})
# What a server says to whom it refuses, and after how many seconds it bids them to come again.
_LATER = "the server has received too many requests and has asked us to try again later"
_AGAIN_S = 1
_NONE: Mapping[str, str] = MappingProxyType({})


def headers(world: World, request: Request) -> Mapping[str, str]:
    """What an answer says about the flow of its request; nothing of streams, which have none.

    Args:
        world: Where.
        request: With the user that it is made for in the end.
    """
    asked = attributes.of_request(request)
    if asked.subresource in _LASTING or asked.verb == "proxy":
        return _NONE
    found = _flow(world, asked)
    if found is None:
        return _NONE
    schema, level = found
    return {
        "X-Kubernetes-Pf-Flowschema-Uid": schema["metadata"]["uid"],
        "X-Kubernetes-Pf-Prioritylevel-Uid": level["metadata"]["uid"],
    }


def demand(world: World, request: Request) -> None:
    """Refuse a request of a flow that gets no seat.

    Raises:
        ApiError: The server asks to try again later.
    """
    if not _starving(world):
        return
    asked = attributes.of_request(request)
    if asked.subresource in _LASTING or not starved(world, asked):
        return
    raise ApiError(429, "TooManyRequests", _LATER, None, _AGAIN_S)


def starved(world: World, asked: Attributes) -> bool:
    """Whether the priority level of a request serves no requests."""
    if not _starving(world):
        return False
    found = _flow(world, asked)
    return found is not None and _without_seats(found[1])


def demand_of_kubelet(
    world: World, node: str, resource: str, verb: str, namespace: str = "", subresource: str = ""
) -> None:
    """Refuse what a kubelet writes when it gets no seat for that.

    Args:
        world: Where.
        node: The node of the kubelet.
        resource: Plural, with its group behind a dot.
        verb: `update`, `patch`, `delete` ...
        namespace: Of the object.
        subresource: Such as `status`.

    Raises:
        ApiError: The server asks to try again later.
    """
    if not _starving(world):
        return
    name, _, group = resource.partition(".")
    asked = attributes.Attributes(
        kubelet_of(node), verb, group, "v1", name, subresource, namespace, node
    )
    if starved(world, asked):
        raise ApiError(429, "TooManyRequests", _LATER, None, _AGAIN_S)


def _starving(world: World) -> bool:
    """Whether there is a priority level that serves no requests."""
    return any(_without_seats(level) for level in world.store.list(LEVELS, ""))


def _without_seats(level: Object) -> bool:
    limited = level["spec"].get("limited") or {}
    if level["spec"].get("type") != "Limited":
        return False
    return (
        limited.get("nominalConcurrencyShares") == 0 and limited.get("borrowingLimitPercent") == 0
    )


def _flow(world: World, asked: Attributes) -> tuple[Object, Object] | None:
    """The FlowSchema that a request belongs to, and its priority level."""
    for schema in sorted(world.store.list(SCHEMAS, ""), key=_order):
        level_name = schema["spec"].get("priorityLevelConfiguration", {}).get("name", "")
        level = world.store.get(Key(LEVELS, "", level_name))
        rules = schema["spec"].get("rules") or ()
        if level is not None and any(_matches(asked, rule) for rule in rules):
            return schema, level
    return None


def _order(schema: Object) -> tuple[int, str]:
    return schema["spec"].get("matchingPrecedence", 1000), schema["metadata"]["name"]


def _matches(asked: Attributes, rule: Object) -> bool:
    if not any(_is_subject(asked.user, subject) for subject in rule.get("subjects") or ()):
        return False
    if not asked.resource:
        return any(_is_path(asked, entry) for entry in rule.get("nonResourceRules") or ())
    return any(_is_resource(asked, entry) for entry in rule.get("resourceRules") or ())


def _is_subject(user: User, subject: Object) -> bool:
    kind = subject.get("kind")
    if kind == "User":
        return (subject.get("user") or {}).get("name") in ("*", user.name)
    if kind == "Group":
        name = (subject.get("group") or {}).get("name")
        return name == "*" or name in user.groups
    account = subject.get("serviceAccount") or {}
    head = f"system:serviceaccount:{account.get('namespace', '')}:"
    if account.get("name") == "*":
        return user.name.startswith(head)
    return user.name == f"{head}{account.get('name', '')}"


def _is_path(asked: Attributes, rule: Object) -> bool:
    if not _named(asked.verb, rule.get("verbs") or ()):
        return False
    return any(
        url in ("*", asked.path) or (url.endswith("/*") and asked.path.startswith(url[:-1]))
        for url in rule.get("nonResourceURLs") or ()
    )


def _is_resource(asked: Attributes, rule: Object) -> bool:
    if not (
        _named(asked.verb, rule.get("verbs") or ())
        and _named(asked.whole_resource, rule.get("resources") or ())
        and _named(asked.group, rule.get("apiGroups") or ())
    ):
        return False
    if not asked.namespace:
        return bool(rule.get("clusterScope"))
    return _named(asked.namespace, rule.get("namespaces") or ())


def _named(name: str, wanted: Sequence[str]) -> bool:
    return "*" in wanted or name in wanted
