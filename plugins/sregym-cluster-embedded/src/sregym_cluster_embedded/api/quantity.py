"""Kubernetes quantities, as expressions know them too: `100m`, `1Gi`, `1e3`."""

from __future__ import annotations

from sregym_cel.quantity import SYNTAX, canonical, is_whole, parse

__all__ = ["SYNTAX", "canonical", "is_whole", "parse"]
