"""Entry point: the application, the fault and the problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """The pantry."""
    return [Registration("pantry", "acme_larder.application:Pantry")]


@hookimpl
def sregym_register_injectors() -> Sequence[Registration]:
    """A limit that is too small."""
    return [Registration("larder-limit", "acme_larder.fault:LarderLimit")]


@hookimpl
def sregym_register_problems() -> Sequence[Path]:
    """One problem."""
    return [Path(__file__).parent / "problems"]
