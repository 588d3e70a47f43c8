"""What this package adds to simulated clusters."""

from __future__ import annotations

from sregym_apps.simulation import Extension

EXTENSION = Extension(name="acme-gardener", subsystems=("acme_gardener.operator:subsystem",))
