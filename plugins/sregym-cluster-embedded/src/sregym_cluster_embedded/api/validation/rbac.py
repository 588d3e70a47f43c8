"""Roles and bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_GROUP = "rbac.authorization.k8s.io"


def role(obj: Object) -> list[Cause]:
    """Role and ClusterRole."""
    namespaced = bool(obj["metadata"].get("namespace"))
    found: list[Cause] = []
    for number, rule in enumerate(obj.get("rules") or ()):
        found += _rule(f"rules[{number}]", rule, namespaced)
    collected = obj.get("aggregationRule")
    if collected is not None and not collected.get("clusterRoleSelectors"):
        text = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        found.append(causes.required("aggregationRule.clusterRoleSelectors", text))
    return found


def binding(obj: Object) -> list[Cause]:
    """RoleBinding and ClusterRoleBinding."""
    namespaced = bool(obj["metadata"].get("namespace"))
    reference = obj.get("roleRef") or {}
    found: list[Cause] = []
    if reference.get("apiGroup", _GROUP) != _GROUP:
        found.append(causes.unsupported("roleRef.apiGroup", reference["apiGroup"], [_GROUP]))
    kinds = ["Role", "ClusterRole"] if namespaced else ["ClusterRole"]
    if reference.get("kind", "") not in kinds:
        found.append(causes.unsupported("roleRef.kind", reference.get("kind", ""), kinds))
    if not reference.get("name"):
        found.append(causes.required("roleRef.name"))
    for number, subject in enumerate(obj.get("subjects") or ()):
        found += _subject(f"subjects[{number}]", subject, namespaced)
    return found


def _rule(path: str, rule: Object, namespaced: bool) -> list[Cause]:
    found: list[Cause] = []
    if not rule.get("verbs"):
        text = "verbs must contain at least one value"
        found.append(causes.required(f"{path}.verbs", text))
    paths = rule.get("nonResourceURLs")
    if paths:
        field = f"{path}.nonResourceURLs"
        if namespaced:
            text = "namespaced rules cannot apply to non-resource URLs"
            found.append(causes.invalid(field, paths, text))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            text = "rules cannot apply to both regular resources and non-resource URLs"
            found.append(causes.invalid(field, paths, text))
        return found
    if not rule.get("apiGroups"):
        text = "resource rules must supply at least one api group"
        found.append(causes.required(f"{path}.apiGroups", text))
    if not rule.get("resources"):
        text = "resource rules must supply at least one resource"
        found.append(causes.required(f"{path}.resources", text))
    return found


def _subject(path: str, subject: Object, namespaced: bool) -> list[Cause]:
    kind, name = subject.get("kind", ""), subject.get("name", "")
    group = subject.get("apiGroup", "")
    found: list[Cause] = [] if name else [causes.required(f"{path}.name")]
    if kind == "ServiceAccount":
        if name:
            found += formats.subdomain(f"{path}.name", name)
        if group:
            found.append(causes.unsupported(f"{path}.apiGroup", group, [""]))
        if not namespaced and not subject.get("namespace"):
            found.append(causes.required(f"{path}.namespace"))
    elif kind in ("User", "Group"):
        if group != _GROUP:
            found.append(causes.unsupported(f"{path}.apiGroup", group, [_GROUP]))
    else:
        kinds = ["ServiceAccount", "User", "Group"]
        found.append(causes.unsupported(f"{path}.kind", kind, kinds))
    return found
