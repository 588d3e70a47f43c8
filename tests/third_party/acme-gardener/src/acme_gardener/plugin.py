"""Entry point: the application, the fault and the problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """The orchard."""
    return [Registration("orchard", "acme_gardener.application:Orchard")]


@hookimpl
def sregym_register_injectors() -> Sequence[Registration]:
    """A release with a defect."""
    return [Registration("gardener-release", "acme_gardener.fault:GardenerRelease")]


@hookimpl
def sregym_register_problems() -> Sequence[Path]:
    """One problem."""
    return [Path(__file__).parent / "problems"]
