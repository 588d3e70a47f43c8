"""Entry point: what this package contributes. Imports nothing heavy, see PluginContract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_noise_sources() -> Sequence[Offer]:
    """Telemetry."""
    return [Offer("telemetry", "sregym_noise_telemetry.noise:Telemetry")]
