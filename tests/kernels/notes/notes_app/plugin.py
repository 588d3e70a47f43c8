"""Entry point."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_applications() -> Sequence[Offer]:
    """The notes."""
    return [Offer("notes", "notes_app.application:Notes")]


@hookimpl
def sregym_register_problems() -> Sequence[Path]:
    """Theirs."""
    return [Path(__file__).parent / "problems"]
