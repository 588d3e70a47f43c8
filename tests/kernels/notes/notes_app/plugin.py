"""Entry point."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """The notes."""
    return [Registration("notes", "notes_app.application:Notes")]


@hookimpl
def sregym_register_problems() -> Sequence[Path]:
    """Theirs."""
    return [Path(__file__).parent / "problems"]
