from __future__ import annotations

from sregym_testing.signals import signals_are_heard

__all__ = ["signals_are_heard"]
