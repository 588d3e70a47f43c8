"""Defaults of namespaces, limits, autoscalers, roles, webhooks and definitions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.defaults.fields import each, filled, within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

NAME_LABEL = "kubernetes.io/metadata.name"
_RBAC = "rbac.authorization.k8s.io"
_CPU_TARGET = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}
_SCALE_RULES: dict[str, dict[str, Any]] = {
    "scaleUp": {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [
            {"type": "Pods", "value": 4, "periodSeconds": 15},
            {"type": "Percent", "value": 100, "periodSeconds": 15},
        ],
    },
    "scaleDown": {
        "selectPolicy": "Max",
        "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
    },
}
_WEBHOOK = {
    "failurePolicy": "Fail",
    "matchPolicy": "Equivalent",
    "namespaceSelector": {},
    "objectSelector": {},
    "timeoutSeconds": 10,
}


def namespace(obj: Object) -> Object:
    """Namespace: the label that carries its name cannot be taken off."""
    metadata = obj["metadata"]
    labels = metadata.get("labels", {})
    if labels.get(NAME_LABEL) == metadata["name"]:
        return obj
    return {**obj, "metadata": {**metadata, "labels": {**labels, NAME_LABEL: metadata["name"]}}}


def new_namespace(_world: World, obj: Object) -> Object:
    """A new namespace: held until its content is gone."""
    spec = obj.get("spec", {})
    finalizers = spec.get("finalizers", [])
    if "kubernetes" not in finalizers:
        finalizers = [*finalizers, "kubernetes"]
    return {**obj, "spec": {**spec, "finalizers": finalizers}}


def limit_range(obj: Object) -> Object:
    """LimitRange: defaults follow from the bounds that are given."""
    return within(
        obj, "spec", lambda spec: within(filled(spec, {"limits": None}), "limits", each(_limit))
    )


def autoscaler(obj: Object) -> Object:
    """HorizontalPodAutoscaler."""
    spec = filled(obj.get("spec", {}), {"minReplicas": 1})
    if not spec.get("metrics"):
        spec = {**spec, "metrics": [_CPU_TARGET]}
    spec = within(spec, "behavior", _behavior)
    return obj if spec is obj.get("spec") else {**obj, "spec": spec}


def priority_class(obj: Object) -> Object:
    """PriorityClass."""
    return filled(obj, {"preemptionPolicy": "PreemptLowerPriority", "value": 0})


def role(obj: Object) -> Object:
    """Role and ClusterRole."""
    return filled(obj, {"rules": None})


def role_binding(obj: Object) -> Object:
    """RoleBinding and ClusterRoleBinding."""
    obj = within(obj, "roleRef", lambda ref: filled(ref, {"apiGroup": _RBAC}))
    return within(obj, "subjects", each(_subject))


def webhooks(obj: Object) -> Object:
    """Validating- and MutatingWebhookConfiguration."""
    mutating = obj.get("kind") == "MutatingWebhookConfiguration"

    def webhook(hook: Object) -> Object:
        hook = filled(hook, _WEBHOOK)
        if mutating:
            hook = filled(hook, {"reinvocationPolicy": "Never"})
        hook = within(hook, "rules", each(lambda rule: filled(rule, {"scope": "*"})))
        return within(
            hook,
            "clientConfig",
            lambda config: within(config, "service", lambda ref: filled(ref, {"port": 443})),
        )

    return within(obj, "webhooks", each(webhook))


def _match_resources(match: Object) -> Object:
    match = filled(
        match, {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
    )
    for field in ("resourceRules", "excludeResourceRules"):
        match = within(match, field, each(lambda rule: filled(rule, {"scope": "*"})))
    return match


def admission_policy(obj: Object) -> Object:
    """Validating- and MutatingAdmissionPolicy."""

    def spec(before: Object) -> Object:
        after = filled(before, {"failurePolicy": "Fail"})
        return within(after, "matchConstraints", _match_resources)

    return within(obj, "spec", spec)


def new_admission_policy(world: World, obj: Object) -> Object:
    """A new ValidatingAdmissionPolicy: its types are checked at once."""
    from sregym_cluster_embedded.api.dynamic import type_checks

    checked = type_checks.checked(world, obj)
    return {**obj, "status": {"observedGeneration": 1, "typeChecking": checked}}


def changed_admission_policy(world: World, old: Object, new: Object) -> Object:
    """A changed ValidatingAdmissionPolicy has its types checked again."""
    generation = new["metadata"].get("generation", 1)
    if generation == old["metadata"].get("generation", 1):
        return new
    from sregym_cluster_embedded.api.dynamic import type_checks

    seen = {"observedGeneration": generation, "typeChecking": type_checks.checked(world, new)}
    return {**new, "status": {**new.get("status", {}), **seen}}


def policy_binding(obj: Object) -> Object:
    """Validating- and MutatingAdmissionPolicyBinding."""
    return within(obj, "spec", lambda spec: within(spec, "matchResources", _match_resources))


def definition(obj: Object) -> Object:
    """CustomResourceDefinition."""

    def spec(before: Object) -> Object:
        after = filled(before, {"conversion": {"strategy": "None"}})
        return within(after, "names", names)

    def names(before: Object) -> Object:
        kind = before.get("kind", "")
        if not before.get("singular"):
            before = {**before, "singular": kind.lower()}
        return (
            before if before.get("listKind") or not kind else {**before, "listKind": f"{kind}List"}
        )

    return within(obj, "spec", spec)


def new_definition(world: World, obj: Object) -> Object:
    """A new CustomResourceDefinition: served at once, unless others have its names."""
    spec, at = obj["spec"], world.timestamp()
    stored = [entry["name"] for entry in spec.get("versions", ()) if entry.get("storage")]
    reason, message = _taken(world, obj)
    if reason:
        accepted = _definition_condition("NamesAccepted", "False", reason, message, at)
        text = "not all names are accepted"
        established = _definition_condition("Established", "False", "NotAccepted", text, at)
        names: Object = {"plural": "", "kind": ""}
    else:
        text = "no conflicts found"
        accepted = _definition_condition("NamesAccepted", "True", "NoConflicts", text, at)
        text = "the initial names have been accepted"
        established = _definition_condition("Established", "True", "InitialNamesAccepted", text, at)
        names = spec.get("names", {})
    status = {
        "acceptedNames": names,
        "conditions": [accepted, established],
        "storedVersions": stored,
    }
    return {**obj, "status": status}


def _definition_condition(type_: str, status: str, reason: str, text: str, at: str) -> Object:
    return {
        "type": type_,
        "status": status,
        "lastTransitionTime": at,
        "reason": reason,
        "message": text,
    }


def _taken(world: World, obj: Object) -> tuple[str, str]:
    """Reason and message of the last name that another definition of the group has too."""
    spec = obj["spec"]
    names = spec.get("names", {})
    words: set[str] = set()
    kinds: set[str] = set()
    for other in world.store.list("customresourcedefinitions.apiextensions.k8s.io", ""):
        same = other["metadata"]["name"] == obj["metadata"]["name"]
        if same or other["spec"].get("group") != spec.get("group"):
            continue
        known = other.get("status", {}).get("acceptedNames", {})
        words |= {known.get("plural", ""), known.get("singular", "")}
        words |= set(known.get("shortNames", ()))
        kinds |= {known.get("kind", ""), known.get("listKind", "")}
    found = ("", "")
    short = [name for name in names.get("shortNames", ()) if name in words]
    for field, reason, used in (
        ("plural", "PluralConflict", words),
        ("singular", "SingularConflict", words),
        ("shortNames", "ShortNamesConflict", words),
        ("kind", "KindConflict", kinds),
        ("listKind", "ListKindConflict", kinds),
    ):
        # Each conflict takes the place of the one before.
        value = names.get(field, "")
        if field == "shortNames" and short:
            found = reason, ", ".join(f'"{name}" is already in use' for name in short)
        elif field != "shortNames" and value and value in used:
            found = reason, f'"{value}" is already in use'
    return found


def _limit(item: Object) -> Object:
    if item.get("type") != "Container":
        return item
    limits = {**item.get("max", {}), **item.get("default", {})}
    requests = {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}
    if limits and item.get("default") != limits:
        item = {**item, "default": limits}
    if requests and item.get("defaultRequest") != requests:
        item = {**item, "defaultRequest": requests}
    return item


def _behavior(behavior: Object) -> Object:
    behavior = filled(behavior, _SCALE_RULES)
    for direction, rules in _SCALE_RULES.items():
        behavior = within(behavior, direction, partial(_fill_after, rules))
    return behavior


def _fill_after(defaults: Mapping[str, Any], obj: Object) -> Object:
    return filled(obj, defaults)


def _subject(subject: Object) -> Object:
    if subject.get("kind") in ("User", "Group"):
        return filled(subject, {"apiGroup": _RBAC})
    return subject
