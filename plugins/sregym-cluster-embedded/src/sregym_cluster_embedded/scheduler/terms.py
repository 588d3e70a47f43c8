"""Affinity between pods as hashable terms: what a pod asks of its neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.scheduler.pod_terms import Selector, requirements_of
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

REQUIRED, FORBIDDEN, PREFERRED, AVOIDED = "required", "forbidden", "preferred", "avoided"
_HARD = "requiredDuringSchedulingIgnoredDuringExecution"
_SOFT = "preferredDuringSchedulingIgnoredDuringExecution"

Requirements = tuple[tuple[str, str, tuple[str, ...]], ...]


class Term(NamedTuple):
    """One term of podAffinity or podAntiAffinity.

    Attributes:
        kind: `required`, `forbidden`, `preferred` or `avoided`.
        topology_key: The node label whose value makes nodes neighbours.
        requirements: Of the other pods' labels; None when the selector is missing (finds nothing).
        namespaces: Of the other pods, sorted.
        namespace_requirements: Of further namespaces' labels; None: no further ones.
        weight: Of preferred and avoided terms.
    """

    kind: str
    topology_key: str
    requirements: Requirements | None
    namespaces: tuple[str, ...]
    namespace_requirements: Requirements | None
    weight: int = 0


def terms_of(pod: Object) -> tuple[Term, ...]:
    """All terms of a pod; empty for most pods."""
    affinity = pod["spec"].get("affinity")
    if not affinity:
        return ()
    found: list[Term] = []
    for field, hard, soft in (
        ("podAffinity", REQUIRED, PREFERRED),
        ("podAntiAffinity", FORBIDDEN, AVOIDED),
    ):
        given = affinity.get(field) or {}
        found.extend(_term(pod, hard, entry, 0) for entry in given.get(_HARD) or ())
        found.extend(
            _term(pod, soft, entry["podAffinityTerm"], entry["weight"])
            for entry in given.get(_SOFT) or ()
        )
    return tuple(found)


def selector_of(world: World, term: Term) -> Selector:
    """The pods that a term means now: its namespaces are looked up."""
    names = set(term.namespaces)
    if term.namespace_requirements is not None:
        for namespace in world.store.list("namespaces", ""):
            labels = namespace["metadata"].get("labels") or {}
            wanted = Selector((), term.namespace_requirements)
            if wanted._replace(namespaces=("",)).matches("", labels):
                names.add(namespace["metadata"]["name"])
    return Selector(tuple(sorted(names)), term.requirements or (), never=term.requirements is None)


def means(world: World, term: Term, namespace: str, labels: Mapping[str, str]) -> bool:
    """Whether a term means a pod with these labels."""
    if term.requirements is None:
        return False
    if not Selector((namespace,), term.requirements).matches(namespace, labels):
        return False
    if namespace in term.namespaces:
        return True
    if term.namespace_requirements is None:
        return False
    place = world.store.get(Key("namespaces", "", namespace))
    given = (place["metadata"].get("labels") or {}) if place is not None else {}
    return Selector(("",), term.namespace_requirements).matches("", given)


def with_own_labels(
    requirements: Requirements, pod: Object, keys: list[str] | None, operator: str = "In"
) -> Requirements:
    """Add what `matchLabelKeys` (or with `NotIn`, `mismatchLabelKeys`) take from the pod itself."""
    labels = pod["metadata"].get("labels") or {}
    more = [(key, operator, (labels[key],)) for key in keys or () if key in labels]
    return (*requirements, *(entry for entry in more if entry not in requirements))


def _term(pod: Object, kind: str, given: Object, weight: int) -> Term:
    selector = given.get("labelSelector")
    requirements: Requirements | None = None
    if selector is not None:
        requirements = with_own_labels(requirements_of(selector), pod, given.get("matchLabelKeys"))
        requirements = with_own_labels(requirements, pod, given.get("mismatchLabelKeys"), "NotIn")
    namespaces = tuple(sorted(given.get("namespaces") or ()))
    further = given.get("namespaceSelector")
    if not namespaces and further is None:
        namespaces = (pod["metadata"]["namespace"],)
    beyond = requirements_of(further) if further is not None else None
    return Term(kind, given["topologyKey"], requirements, namespaces, beyond, weight)
