"""Adds tidb-operator to simulated clusters."""

from __future__ import annotations

from sregym_apps.simulation import Extension

EXTENSION = Extension(
    name="operator-tidb",
    subsystems=("sregym_operator_tidb.operator:subsystem",),
    images=("sregym_operator_tidb:images.yaml",),
)
