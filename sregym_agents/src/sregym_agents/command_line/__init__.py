"""Agents that are commands: started, looked after, ended with all their children."""

from __future__ import annotations

from sregym_agents.command_line.process import attend

__all__ = ["attend"]
