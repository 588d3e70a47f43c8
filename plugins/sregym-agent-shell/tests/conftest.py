"""Sessions that hand out a kubeconfig, of a cluster that nobody serves."""

from __future__ import annotations

from sregym_agents.testing.sessions import folder, new_session, provision

__all__ = ["folder", "new_session", "provision"]
