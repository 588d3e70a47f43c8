"""Databases of applications as replica sets of MongoDB."""

from __future__ import annotations

from sregym_app_deathstarbench.replica_sets.application import Replicated

__all__ = ["Replicated"]
