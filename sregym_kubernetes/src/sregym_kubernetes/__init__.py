"""What an agent may see of the Kubernetes API and do with it, enforced on requests and answers.

Pure functions of requests and answers. The guard before an agent's own clients applies them to what
passes over the wire, a cluster to what the tool `kubectl` requests in process.
"""

from __future__ import annotations

from sregym_kubernetes.enforcement import Enforcement, KubernetesRequest, KubernetesResponse

__all__ = ["Enforcement", "KubernetesRequest", "KubernetesResponse"]
