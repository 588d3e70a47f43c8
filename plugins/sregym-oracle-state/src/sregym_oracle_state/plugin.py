"""Entry point of the plugin."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_oracles() -> list[Offer]:
    """Contribute the oracles `state` and `replay`."""
    return [
        Offer("state", "sregym_oracle_state.oracle:StateOracle"),
        Offer("replay", "sregym_oracle_state.replay:ReplayOracle"),
    ]
