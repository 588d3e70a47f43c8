"""Entry points: the application, and the operator for simulated clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.simulation import Extension

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

EXTENSION = Extension(name="acme-parcels", subsystems=("acme_sregym_parcels.operator:subsystem",))


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """Parcels."""
    return [Registration("parcels", "acme_sregym_parcels.application:Parcels")]
