"""Entry point of the plugin."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_oracles() -> list[Registration]:
    """Contribute the oracle `checklist`."""
    return [Registration("checklist", "sregym_oracle_checklist.oracle:ChecklistOracle")]
