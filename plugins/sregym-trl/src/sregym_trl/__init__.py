"""SREGym for TRL: an environment for `GRPOTrainer` and its data; and a tiny policy that learns."""

from __future__ import annotations

from sregym_trl.environment import IncidentEnvironment, environment_factory, rows

__all__ = ["IncidentEnvironment", "environment_factory", "rows"]
