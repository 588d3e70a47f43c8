"""Offers the cluster `kubeconfig`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_clusters() -> Sequence[Registration]:
    """Register any real cluster."""
    return [Registration("kubeconfig", "sregym_cluster_kubernetes.provider:Kubeconfig")]


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """Register `telemetry`."""
    return [Registration("telemetry", "sregym_cluster_kubernetes.telemetry.command:Telemetry")]
