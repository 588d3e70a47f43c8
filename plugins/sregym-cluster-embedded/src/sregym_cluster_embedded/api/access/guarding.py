"""What depends on who writes: checked between validation and the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import pod_security, priorities
from sregym_cluster_embedded.api.access import authorizer, escalation, node_restriction

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.body import Warnings
    from sregym_cluster_embedded.api.request import User
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def new(world: World, user: User, kind: Resource, obj: Object, warnings: Warnings) -> None:
    """Refuse what `user` may not create, and collect what the answer warns of.

    Raises:
        errors.ApiError: Forbidden; Invalid labels of a namespace.
    """
    if authorizer.MASTERS not in user.groups:
        escalation.check(world, user, kind, obj)
        node_restriction.check(world, user, kind, obj)
    priorities.check_default(world, kind, obj)
    if kind.name == "namespaces":
        pod_security.check_labels(kind, obj, None)
    else:
        warnings.texts.extend(pod_security.warnings(world, kind, obj, None))


def changed(
    world: World,
    user: User,
    kind: Resource,
    subresource: str,
    old: Object,
    obj: Object,
    warnings: Warnings,
) -> None:
    """Refuse what `user` may not change, and collect what the answer warns of.

    Raises:
        errors.ApiError: Forbidden; Invalid labels of a namespace.
    """
    if authorizer.MASTERS not in user.groups:
        escalation.check(world, user, kind, obj, old)
        node_restriction.check(world, user, kind, obj, old, subresource)
    if subresource in ("status", "scale"):
        return
    priorities.check_default(world, kind, obj)
    if kind.name == "namespaces":
        pod_security.check_labels(kind, obj, old)
        warnings.texts.extend(pod_security.namespace_warnings(world, obj, old))
        return
    if kind.name == "pods":
        pod_security.enforce(world, kind, obj, old)
    warnings.texts.extend(pod_security.warnings(world, kind, obj, old))
