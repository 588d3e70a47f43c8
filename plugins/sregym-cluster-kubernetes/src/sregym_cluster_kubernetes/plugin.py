"""Offers the cluster `kubeconfig`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_clusters() -> Sequence[Offer]:
    """Offer any real cluster."""
    return [Offer("kubeconfig", "sregym_cluster_kubernetes.provider:Kubeconfig")]


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """Offer `telemetry`."""
    return [Offer("telemetry", "sregym_cluster_kubernetes.telemetry.command:Telemetry")]
