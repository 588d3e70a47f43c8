"""Giving the agent its role in a cluster, and taking it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef
from sregym_core.policy.role import manifests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster


def grant(cluster: Cluster, namespaces: Sequence[str]) -> None:
    """Give the role to the agent; what is there already is left as it is."""
    for obj in manifests(namespaces):
        try:
            cluster.create(obj)
        except ClusterError as error:
            if error.reason != "AlreadyExists":
                raise


def revoke(cluster: Cluster, namespaces: Sequence[str]) -> None:
    """Take the role away."""
    for obj in reversed(manifests(namespaces)):
        cluster.delete(ObjectRef.of(obj))
