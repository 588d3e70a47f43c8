"""Entry point of the plugin."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_oracles() -> list[Offer]:
    """Contribute the oracle `judge`."""
    return [Offer("judge", "sregym_oracle_judge.oracle:Judge")]
