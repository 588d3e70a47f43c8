"""Adds tidb-operator to simulated clusters."""

from __future__ import annotations

from sregym_apps.simulation import Extension

EXTENSION = Extension(
    name="operator-tidb",
    contributions=("sregym_operator_tidb.operator:contribution",),
    images=("sregym_operator_tidb:images.yaml",),
)
