"""Admission that users configure: webhooks and policies.

A write asks `configured` first, which costs one look-up in most clusters; where nothing is
configured nothing else of this package is imported.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.dynamic.attributes import (
    CONTROLLERS,
    SCHEDULER,
    Attributes,
    kubelet_of,
)
from sregym_cluster_embedded.api.dynamic.configured_types import (
    BINDINGS,
    MUTATING,
    MUTATING_BINDINGS,
    MUTATING_POLICIES,
    POLICIES,
    VALIDATING,
)
from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.request import User
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_EXEMPT = frozenset(
    (VALIDATING, MUTATING, POLICIES, BINDINGS, MUTATING_POLICIES, MUTATING_BINDINGS)
)
# Reviews and events of the machinery itself: a policy never sees the first, rarely the second.
_UNSEEN_GROUPS = frozenset({"authentication.k8s.io", "authorization.k8s.io"})

# The types in which admission is configured.
RESOURCES = tuple(sorted(_EXEMPT))
# Holds as whom somebody in the cluster is at work whose writes admission sees.
HEARD: TableKey[bool, User] = TableKey("api.dynamic.heard")

__all__ = [
    "BINDINGS",
    "CONTROLLERS",
    "HEARD",
    "RESOURCES",
    "SCHEDULER",
    "Attributes",
    "configured",
    "dynamic_admission",
    "kubelet_of",
    "mutate",
    "validate",
]


@contextmanager
def dynamic_admission(world: World, user: User = CONTROLLERS) -> Iterator[None]:
    """Inside of this, admission sees what `user` changes and deletes, and may refuse it.

    Whoever writes here must be ready for that. What is created it always sees.
    """
    table = world.table(HEARD)
    before = dict(table)
    table[True] = user
    try:
        yield
    finally:
        table.clear()
        table.update(before)


def configured(world: World) -> bool:
    """Whether anybody configured admission in this cluster."""
    if world.store.had.isdisjoint(_EXEMPT):
        return False
    has_any = world.store.has_any
    return (
        has_any(VALIDATING, "")
        or has_any(MUTATING, "")
        or has_any(BINDINGS, "")
        or has_any(MUTATING_BINDINGS, "")
    )


def mutate(world: World, attributes: Attributes) -> Object | None:
    """The object (as stored) as mutating policies, then mutating webhooks leave it.

    Raises:
        errors.ApiError: A webhook denied the request, or could not be asked and must be; or a
            policy cannot be applied.
    """
    if _exempt(attributes):
        return attributes.obj
    if attributes.obj is not None and world.store.list(MUTATING_BINDINGS, ""):
        from sregym_cluster_embedded.api.dynamic import mutations

        changed = mutations.mutate(world, attributes)
        if changed is not None:
            attributes = attributes.with_object(changed)
    if not world.store.list(MUTATING, ""):
        return attributes.obj
    from sregym_cluster_embedded.api.dynamic import webhooks

    with _warned(attributes):
        return webhooks.mutate(world, attributes)


def validate(world: World, attributes: Attributes) -> None:
    """Ask policies, then validating webhooks; warnings go to those of the attributes.

    Raises:
        errors.ApiError: One of them denied the request, or could not be asked and must be.
    """
    if _exempt(attributes):
        return
    if world.store.list(BINDINGS, ""):
        from sregym_cluster_embedded.api.dynamic import policies

        with _warned(attributes):
            policies.validate(world, attributes)
    if world.store.list(VALIDATING, ""):
        from sregym_cluster_embedded.api.dynamic import webhooks

        with _warned(attributes):
            webhooks.validate(world, attributes)


@contextmanager
def _warned(attributes: Attributes) -> Iterator[None]:
    """A refusal carries the warnings that came before it."""
    try:
        yield
    except errors.ApiError as error:
        error.warnings = tuple(attributes.warnings)
        raise


def _exempt(attributes: Attributes) -> bool:
    return attributes.kind.name in _EXEMPT or attributes.kind.group in _UNSEEN_GROUPS
