"""Offers the cluster `embedded` and the commands of its query languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_clusters() -> Sequence[Registration]:
    """Register the embedded cluster."""
    return [Registration("embedded", "sregym_cluster_embedded.cluster:Embedded")]


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """Commands that judge the query languages apart from a cluster, and the export of telemetry."""
    return [
        Registration("export", "sregym_cluster_embedded.commands.export:Export"),
        Registration("logql", "sregym_cluster_embedded.commands.logql:Logql"),
        Registration("promql", "sregym_cluster_embedded.commands.promql:Promql"),
    ]
