"""Priority and fairness: to which flow a request belongs, and how answers tell.

Nobody waits: the server is always fast enough. What is told follows the FlowSchemas all the same.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.access import attributes
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
    for schema in sorted(world.store.list(SCHEMAS, ""), key=_order):
        level_name = schema["spec"].get("priorityLevelConfiguration", {}).get("name", "")
        level = world.store.get(Key(LEVELS, "", level_name))
        rules = schema["spec"].get("rules") or ()
        if level is not None and any(_matches(asked, rule) for rule in rules):
            return {
                "X-Kubernetes-Pf-Flowschema-Uid": schema["metadata"]["uid"],
                "X-Kubernetes-Pf-Prioritylevel-Uid": level["metadata"]["uid"],
            }
    return _NONE


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
