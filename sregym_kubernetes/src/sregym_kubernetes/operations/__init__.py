"""What the conductor has done to a cluster, done through its Kubernetes API."""

from __future__ import annotations

from sregym_kubernetes.operations.kubernetes import KubernetesOperations

__all__ = ["KubernetesOperations"]
