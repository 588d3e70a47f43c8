"""Offers the cluster `embedded`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_clusters() -> Sequence[Offer]:
    """Offer the embedded cluster."""
    return [Offer("embedded", "sregym_cluster_embedded.cluster:Embedded")]
