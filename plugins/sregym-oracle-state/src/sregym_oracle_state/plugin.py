"""Entry point of the plugin."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_oracles() -> list[Registration]:
    """Contribute the oracles `state` and `replay`."""
    return [
        Registration("state", "sregym_oracle_state.oracle:StateOracle"),
        Registration("replay", "sregym_oracle_state.replay:ReplayOracle"),
    ]
