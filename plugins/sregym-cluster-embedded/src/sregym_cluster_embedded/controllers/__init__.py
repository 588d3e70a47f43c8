"""The control loops of a controller manager: each looks at one kind and makes the next step."""

from __future__ import annotations

from sregym_cluster_embedded.controllers.subsystem import subsystem

__all__ = ["subsystem"]
