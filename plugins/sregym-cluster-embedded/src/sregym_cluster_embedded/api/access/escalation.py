"""Prevention of privilege escalation: writes of roles and bindings may grant only rights that their author has.

A user with `escalate` on the role, or `bind` on the role that a binding refers to, may.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.access import authorizer, rbac
from sregym_cluster_embedded.api.access.attributes import Attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_cluster_embedded.api.request import User
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

Rule = dict[str, Any]

_ROLES = (rbac.ROLES, rbac.CLUSTER_ROLES)
_BINDINGS = (rbac.ROLE_BINDINGS, rbac.CLUSTER_ROLE_BINDINGS)
_CHECKED = frozenset((*_ROLES, *_BINDINGS))
_EVERYTHING: tuple[Rule, ...] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
# What may change of an object without its meaning: who owns it and who holds it back.
_COLLECTION = frozenset(
    ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")
)
_FIELDS = (
    ("apiGroups", "APIGroups"),
    ("resources", "Resources"),
    ("nonResourceURLs", "NonResourceURLs"),
    ("resourceNames", "ResourceNames"),
    ("verbs", "Verbs"),
)


def check(world: World, user: User, kind: Resource, new: Object, old: Object | None = None) -> None:
    """Refuse a role or binding that gives `user` or others more than `user` has.

    Raises:
        errors.ApiError: Forbidden, with the rules that are missing; NotFound: a binding to a role
            that does not exist.
    """
    if kind.name not in _CHECKED:
        return
    if old is not None and _meaning(old) == _meaning(new):
        return
    metadata = new["metadata"]
    namespace = metadata.get("namespace", "")
    if kind.name in _ROLES:
        name = metadata["name"] if old is not None else ""
        if _may(world, user, "escalate", kind.plural, namespace, name):
            return
        wanted: Sequence[Rule] = new.get("rules") or ()
    else:
        reference = new["roleRef"]
        plural = "clusterroles" if reference.get("kind") == "ClusterRole" else "roles"
        if _may(world, user, "bind", plural, namespace, reference["name"]):
            return
        wanted, missing = rbac.rules_of_reference(world, reference, namespace)
        if missing:
            kind_of = missing.partition(" ")[0]
            details = {
                "name": reference["name"],
                "group": rbac.GROUP,
                "kind": kind_of.partition(".")[0],
            }
            raise errors.ApiError(404, "NotFound", missing, details)
    why = _excess(world, user, namespace, wanted)
    if why:
        raise errors.forbidden(kind, metadata["name"], why)
    if new.get("aggregationRule") and _excess(world, user, "", _EVERYTHING):
        why = "must have cluster-admin privileges to use an aggregationRule"
        raise errors.forbidden(kind, metadata["name"], why)


def _meaning(obj: Object) -> Object:
    metadata = {k: v for k, v in obj["metadata"].items() if k not in _COLLECTION}
    return {**obj, "metadata": metadata}


def _may(world: World, user: User, verb: str, plural: str, namespace: str, name: str) -> bool:
    asked = Attributes(user, verb, rbac.GROUP, "*", plural, namespace=namespace, name=name)
    return authorizer.decide(world, asked).allowed


def _excess(world: World, user: User, namespace: str, wanted: Sequence[Rule]) -> str:
    """Why `wanted` is more than `user` has; empty when it is not."""
    owned: list[Rule] = []
    complaints: list[str] = []
    for grant in rbac.grants(world, user, namespace):
        owned.extend(grant.rules)
        if grant.error:
            complaints.append(grant.error)
    missing = [
        part
        for rule in wanted
        for part in _parts(rule)
        if not any(_covers(own, part) for own in owned)
    ]
    if not missing:
        return ""
    listed = sorted({_text(rule) for rule in _compact(missing)})
    text = (
        f'user "{user.name}" (groups={_quoted(user.groups)}) is attempting to grant RBAC '
        "permissions not currently held:\n" + "\n".join(listed)
    )
    if complaints:
        told = complaints[0] if len(complaints) == 1 else f"[{', '.join(complaints)}]"
        text += f"; resolution errors: [{told}]"
    return text


def _parts(rule: Rule) -> Iterator[Rule]:
    """A rule as rules of one verb on one thing each."""
    verbs = rule.get("verbs") or ()
    for group, resource, verb in product(
        rule.get("apiGroups") or (), rule.get("resources") or (), verbs
    ):
        part = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        names = rule.get("resourceNames") or ()
        if names:
            yield from ({**part, "resourceNames": [name]} for name in names)
        else:
            yield part
    for path, verb in product(rule.get("nonResourceURLs") or (), verbs):
        yield {"nonResourceURLs": [path], "verbs": [verb]}


def _covers(own: Rule, part: Rule) -> bool:
    if not _has(own, "verbs", part["verbs"][0]):
        return False
    if "nonResourceURLs" in part:
        path = part["nonResourceURLs"][0]
        return any(_path_covers(pattern, path) for pattern in own.get("nonResourceURLs") or ())
    names = own.get("resourceNames") or ()
    if names and part.get("resourceNames", [None])[0] not in names:
        return False
    resource: str = part["resources"][0]
    below = f"*/{resource.partition('/')[2]}"
    return _has(own, "apiGroups", part["apiGroups"][0]) and (
        _has(own, "resources", resource)
        or ("/" in resource and below in (own.get("resources") or ()))
    )


def _path_covers(pattern: str, path: str) -> bool:
    return rbac.path_matches(pattern, path)


def _has(rule: Mapping[str, Any], field: str, value: str) -> bool:
    values = rule.get(field) or ()
    return "*" in values or value in values


def _compact(parts: Sequence[Rule]) -> list[Rule]:
    """The parts with their verbs together again, as far as they are about one resource."""
    simple: dict[tuple[str, str, str], Rule] = {}
    others: list[Rule] = []
    for part in parts:
        if "nonResourceURLs" in part:
            others.append(part)
            continue
        name = part.get("resourceNames", [""])[0]
        key = (part["apiGroups"][0], part["resources"][0], name)
        if key in simple:
            simple[key] = {**simple[key], "verbs": [*simple[key]["verbs"], *part["verbs"]]}
        else:
            simple[key] = part
    return [*others, *simple.values()]


def _text(rule: Rule) -> str:
    fields = (f"{title}:{_quoted(rule[field])}" for field, title in _FIELDS if rule.get(field))
    return "{" + ", ".join(fields) + "}"


def _quoted(values: Sequence[str]) -> str:
    return "[" + " ".join(f'"{value}"' for value in values) + "]"
