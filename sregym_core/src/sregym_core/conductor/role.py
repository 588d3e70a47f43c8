"""Giving the agent its role in a cluster, and taking it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef
from sregym_core.policy.role import manifests, on_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster


def grant(cluster: Cluster, namespaces: Sequence[str], suffix: str = "") -> None:
    """Give the role to the agent; what is there already is left as it is.

    Args:
        cluster: Where.
        namespaces: Of the application.
        suffix: With which they end: agents that share a cluster have roles of their own.
    """
    for obj in manifests(namespaces, on_call(suffix), suffix):
        try:
            cluster.create(obj)
        except ClusterError as error:
            if error.reason != "AlreadyExists":
                raise


def revoke(cluster: Cluster, namespaces: Sequence[str], suffix: str = "") -> None:
    """Take the role away."""
    for obj in reversed(manifests(namespaces, on_call(suffix), suffix)):
        cluster.delete(ObjectRef.of(obj))
