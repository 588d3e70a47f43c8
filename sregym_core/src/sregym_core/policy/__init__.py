"""What an agent may see of a cluster's API and do with it: one policy, whatever way it takes.

It is defined here and enforced by `sregym_kubernetes`: in the guard before an agent's own clients, on what
passes over the wire; in a cluster, on what the tool `kubectl` requests in process.
"""

from __future__ import annotations

from sregym_core.policy.policy import Policy
from sregym_core.policy.role import Identity

__all__ = ["Identity", "Policy"]
