"""Copies of manifests: what `sregym_kubernetes` has for them, for authors of applications."""

from __future__ import annotations

from sregym_kubernetes.copying import copied

__all__ = ["copied"]
