"""Entry point of the plugin."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_oracles() -> list[Registration]:
    """Contribute the oracle `judge`."""
    return [Registration("judge", "sregym_oracle_judge.oracle:Judge")]
