"""Entry point: what this package contributes. Imports nothing heavy, see PluginContract."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """One application; its options make others of it."""
    return [Registration("synthetic", "sregym_app_synthetic.application:Synthetic")]


@hookimpl
def sregym_register_problems() -> Sequence[Traversable]:
    """Problems of generated applications."""
    return [files("sregym_app_synthetic") / "problems"]
