"""Entry point: the application, the fault and the problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_applications() -> Sequence[Offer]:
    """The orchard."""
    return [Offer("orchard", "acme_gardener.application:Orchard")]


@hookimpl
def sregym_register_injectors() -> Sequence[Offer]:
    """A release with a defect."""
    return [Offer("gardener-release", "acme_gardener.fault:GardenerRelease")]


@hookimpl
def sregym_register_problems() -> Sequence[Path]:
    """One problem."""
    return [Path(__file__).parent / "problems"]
