"""What Inspect finds by the package's entry point."""

from __future__ import annotations

from sregym_inspect import IncidentSandbox, responder, sregym, verdict

__all__ = ["IncidentSandbox", "responder", "sregym", "verdict"]
