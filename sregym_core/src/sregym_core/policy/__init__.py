"""What an agent may see of a cluster's API and do with it: one policy, whatever way it takes.

Pure functions of requests and answers. The guard before an agent's own clients applies them to what
passes over the wire, a cluster to what the tool `kubectl` asks in process.
"""

from __future__ import annotations

from sregym_core.policy.policy import Answer, Asked, Policy

__all__ = ["Answer", "Asked", "Policy"]
