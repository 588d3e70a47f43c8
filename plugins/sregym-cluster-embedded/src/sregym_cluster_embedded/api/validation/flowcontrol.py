"""Validation of what decides which requests wait for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_HIGHEST_PRECEDENCE = 10_000
_EXEMPT = "exempt"
_DISTINGUISHERS = ("ByNamespace", "ByUser")
_LEVELS = ("Exempt", "Limited")
_RESPONSES = ("Queue", "Reject")
# The fields of subjects by kind, in the order in which the server looks at the others.
_SUBJECTS = {
    "Group": ("group", ("serviceAccount", "user")),
    "ServiceAccount": ("serviceAccount", ("user", "group")),
    "User": ("user", ("serviceAccount", "group")),
}
_VERBS = ("*", "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


def flow_schema(obj: Object) -> list[Cause]:
    """FlowSchema."""
    spec = obj.get("spec") or {}
    found: list[Cause] = []
    precedence = spec.get("matchingPrecedence", 0)
    field = "spec.matchingPrecedence"
    if precedence <= 0:
        found.append(causes.invalid(field, precedence, "must be a positive value"))
    if precedence > _HIGHEST_PRECEDENCE:
        why = f"must not be greater than {_HIGHEST_PRECEDENCE}"
        found.append(causes.invalid(field, precedence, why))
    if precedence == 1 and obj["metadata"].get("name") != _EXEMPT:
        why = "only the schema named 'exempt' may have matchingPrecedence 1"
        found.append(causes.invalid(field, precedence, why))
    method = (spec.get("distinguisherMethod") or {}).get("type")
    found += causes.one_of("spec.distinguisherMethod.type", method, _DISTINGUISHERS)
    level = (spec.get("priorityLevelConfiguration") or {}).get("name", "")
    if level:
        found += formats.subdomain("spec.priorityLevelConfiguration.name", level)
    else:
        why = "must reference a priority level"
        found.append(causes.required("spec.priorityLevelConfiguration.name", why))
    for index, rule in enumerate(spec.get("rules") or ()):
        found += _rule(rule, f"spec.rules[{index}]")
    return found


def _rule(rule: dict[str, Any], place: str) -> list[Cause]:
    found: list[Cause] = []
    subjects = rule.get("subjects") or ()
    for index, subject in enumerate(subjects):
        found += _subject(subject, f"{place}.subjects[{index}]")
    if not subjects:
        why = "subjects must contain at least one value"
        found.append(causes.required(f"{place}.subjects", why))
    resources, others = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    if not resources and not others:
        why = "at least one of resourceRules and nonResourceRules has to be non-empty"
        found.append(causes.required(place, why))
    for index, given in enumerate(resources):
        found += _resources(given, f"{place}.resourceRules[{index}]")
    for index, given in enumerate(others):
        within = f"{place}.nonResourceRules[{index}]"
        found += _verbs(given, within)
        why = "nonResourceURLs must contain at least one value"
        found += _alone(given, within, "nonResourceURLs", why, "non-resource URLs")
    return found


def _subject(subject: dict[str, Any], place: str) -> list[Cause]:
    kind = subject.get("kind", "")
    if kind not in _SUBJECTS:
        return [causes.unsupported(f"{place}.kind", kind, tuple(_SUBJECTS))]
    own, others = _SUBJECTS[kind]
    found: list[Cause] = []
    named = subject.get(own)
    if named is None:
        why = f"{own} is required when subject kind is '{kind}'"
        found.append(causes.required(f"{place}.{own}", why))
    else:
        if not named.get("name"):
            found.append(causes.required(f"{place}.{own}.name"))
        if own == "serviceAccount" and not named.get("namespace"):
            why = "must specify namespace for service account"
            found.append(causes.required(f"{place}.{own}.namespace", why))
    for other in others:
        if subject.get(other) is not None:
            proper = other[0].upper() + other[1:]
            why = f"{other} is forbidden when subject kind is not '{proper}'"
            found.append(causes.forbidden(f"{place}.{other}", why))
    return found


def _resources(rule: dict[str, Any], place: str) -> list[Cause]:
    found = _verbs(rule, place)
    why = "resource rules must supply at least one api group"
    found += _alone(rule, place, "apiGroups", why, "api groups")
    why = "resource rules must supply at least one resource"
    found += _alone(rule, place, "resources", why, "resources")
    if rule.get("clusterScope") and not rule.get("namespaces"):
        return found
    why = "resource rules that are not cluster scoped must supply at least one namespace"
    return found + _alone(rule, place, "namespaces", why, "namespaces")


def _verbs(rule: dict[str, Any], place: str) -> list[Cause]:
    found = _alone(rule, place, "verbs", "verbs must contain at least one value", "verbs")
    given = rule.get("verbs") or []
    if not found and not set(given) <= set(_VERBS):
        return [causes.unsupported(f"{place}.verbs", given, _VERBS)]
    return found


def _alone(rule: dict[str, Any], place: str, field: str, empty: str, words: str) -> list[Cause]:
    """A list that is not empty, and in which an asterisk stands alone."""
    given = rule.get(field) or []
    if not given:
        return [causes.required(f"{place}.{field}", empty)]
    if "*" in given and len(given) > 1:
        why = f"if '*' is present, must not specify other {words}"
        return [causes.invalid(f"{place}.{field}", given, why)]
    return []


def priority_level(obj: Object) -> list[Cause]:
    """PriorityLevelConfiguration."""
    spec = obj.get("spec") or {}
    found: list[Cause] = []
    kind, limited = spec.get("type", ""), spec.get("limited")
    if (obj["metadata"].get("name") == _EXEMPT) != (kind == "Exempt"):
        why = "type must be 'Exempt' if and only if name is 'exempt'"
        found.append(causes.invalid("spec.type", kind, why))
    if kind not in _LEVELS:
        found.append(causes.unsupported("spec.type", kind, _LEVELS))
    elif kind == "Exempt" and limited is not None:
        why = "must be nil if the type is not Limited"
        found.append(causes.forbidden("spec.limited", why))
    elif kind == "Limited" and limited is None:
        why = "must not be empty when type is Limited"
        found.append(causes.required("spec.limited", why))
    elif limited is not None:
        found += _response(limited.get("limitResponse") or {}, "spec.limited.limitResponse")
    return found


def _response(answer: dict[str, Any], place: str) -> list[Cause]:
    kind, queuing = answer.get("type", ""), answer.get("queuing")
    if kind not in _RESPONSES:
        return [causes.unsupported(f"{place}.type", kind, _RESPONSES)]
    if kind == "Reject":
        why = "must be nil if limited.limitResponse.type is not Limited"
        return [] if queuing is None else [causes.forbidden(f"{place}.queuing", why)]
    found = []
    for field in ("queueLengthLimit", "queues", "handSize"):
        value = (queuing or {}).get(field, 0)
        if value <= 0:
            found.append(causes.invalid(f"{place}.queuing.{field}", value, "must be positive"))
    hand, queues = (queuing or {}).get("handSize", 0), (queuing or {}).get("queues", 0)
    if hand > queues:
        why = f"should not be greater than queues ({queues})"
        found.append(causes.invalid(f"{place}.queuing.handSize", hand, why))
    return found
