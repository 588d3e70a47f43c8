"""Entry point: the application, the fault and the problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_applications() -> Sequence[Offer]:
    """The pantry."""
    return [Offer("pantry", "acme_larder.application:Pantry")]


@hookimpl
def sregym_register_injectors() -> Sequence[Offer]:
    """A limit that is too small."""
    return [Offer("larder-limit", "acme_larder.fault:LarderLimit")]


@hookimpl
def sregym_register_problems() -> Sequence[Path]:
    """One problem."""
    return [Path(__file__).parent / "problems"]
