"""Which requests a webhook or policy is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import selectors
from sregym_cluster_embedded.api.dynamic.configured_types import (
    MUTATING,
    MUTATING_POLICIES,
    POLICIES,
    VALIDATING,
)
from sregym_cluster_embedded.api.resources import BUILT_IN
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.api.dynamic.attributes import Attributes
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def any_rules(world: World, attributes: Attributes) -> bool:
    """Whether a webhook or policy could be asked about such a request, wherever its object is."""
    for configurations in (VALIDATING, MUTATING):
        for configuration in world.store.list(configurations, ""):
            for hook in configuration.get("webhooks") or ():
                policy = hook.get("matchPolicy", "Equivalent")
                if by_rules(attributes, hook.get("rules", ()), policy) is not None:
                    return True
    for policies in (POLICIES, MUTATING_POLICIES):
        for entry in world.store.list(policies, ""):
            constraints = entry["spec"].get("matchConstraints") or {}
            rules = constraints.get("resourceRules") or ()
            policy = constraints.get("matchPolicy", "Equivalent")
            if by_rules(attributes, rules, policy) is not None:
                return True
    return False


def by_rules(attributes: Attributes, rules: Sequence[Object], policy: str) -> Resource | None:
    """The type, in the version that the rules name, as which they match; None: they do not.

    With the policy `Equivalent` another version of the same objects matches too.
    """
    for rule in rules:
        if _matches(attributes, attributes.kind, rule):
            return attributes.kind
    if policy != "Equivalent":
        return None
    for other in BUILT_IN:
        if other.name != attributes.kind.name or other.version == attributes.kind.version:
            continue
        if any(_matches(attributes, other, rule) for rule in rules):
            return other
    return None


def _matches(attributes: Attributes, kind: Resource, rule: Object) -> bool:
    names = rule.get("resourceNames")
    return (
        _named(kind.group, rule.get("apiGroups", ()))
        and _named(kind.version, rule.get("apiVersions", ()))
        and _named(attributes.operation, rule.get("operations", ()))
        and _in_scope(attributes, rule.get("scope", "*"))
        and any(_resource(attributes, kind, text) for text in rule.get("resources", ()))
        and (not names or attributes.name in names)
    )


def _named(name: str, wanted: Sequence[str]) -> bool:
    return "*" in wanted or name in wanted


def _in_scope(attributes: Attributes, scope: str) -> bool:
    if scope == "Namespaced":
        return attributes.kind.namespaced
    return scope != "Cluster" or not attributes.kind.namespaced


def _resource(attributes: Attributes, kind: Resource, text: str) -> bool:
    resource, _, sub = text.partition("/")
    return resource in ("*", kind.plural) and sub in ("*", attributes.subresource)


def by_selectors(world: World, attributes: Attributes, spec: Object) -> bool:
    """Whether the selectors of a webhook or of match resources fit."""
    return _in_namespace(world, attributes, spec.get("namespaceSelector")) and _labelled(
        attributes, spec.get("objectSelector")
    )


def _in_namespace(world: World, attributes: Attributes, selector: Object | None) -> bool:
    wanted = selectors.of_object(selector or {})
    if not wanted:
        return True
    if attributes.kind.name == "namespaces":
        place = attributes.obj if attributes.operation == "CREATE" else attributes.old
    elif not attributes.kind.namespaced:
        return True
    else:
        place = world.store.get(Key("namespaces", "", attributes.namespace))
    labels = (place or {}).get("metadata", {}).get("labels", {})
    return selectors.labels_match(wanted, labels)


def _labelled(attributes: Attributes, selector: Object | None) -> bool:
    wanted = selectors.of_object(selector or {})
    if not wanted:
        return True
    found: list[Mapping[str, str]] = [
        obj.get("metadata", {}).get("labels", {})
        for obj in (attributes.obj, attributes.old)
        if obj is not None
    ]
    return any(selectors.labels_match(wanted, labels) for labels in found)


def by_resources(
    world: World, attributes: Attributes, constraints: Object | None
) -> Resource | None:
    """The type as which `matchConstraints` or `matchResources` match; None: they do not."""
    if constraints is None:
        return attributes.kind
    if not by_selectors(world, attributes, constraints):
        return None
    policy = constraints.get("matchPolicy", "Equivalent")
    excluded = constraints.get("excludeResourceRules", ())
    if excluded and by_rules(attributes, excluded, policy) is not None:
        return None
    rules = constraints.get("resourceRules")
    return by_rules(attributes, rules, policy) if rules else attributes.kind
