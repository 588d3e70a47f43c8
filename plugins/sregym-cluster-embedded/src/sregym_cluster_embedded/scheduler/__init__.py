"""Choosing nodes for pods: requests, constraints, and the words when none fits."""

from __future__ import annotations

from sregym_cluster_embedded.scheduler.subsystem import subsystem

__all__ = ["subsystem"]
