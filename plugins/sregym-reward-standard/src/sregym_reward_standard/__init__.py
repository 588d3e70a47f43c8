"""Rewards of episodes: outcome alone, by stage, and shaped."""

from __future__ import annotations
