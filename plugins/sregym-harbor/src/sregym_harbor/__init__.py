"""SREGym for Harbor: task folders, and what runs in them."""

from __future__ import annotations

from sregym_harbor.export import export

__all__ = ["export"]
