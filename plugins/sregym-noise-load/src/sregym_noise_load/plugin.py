"""Entry point: what this package contributes. Imports nothing heavy, see PluginContract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_noise_sources() -> Sequence[Offer]:
    """Load."""
    return [Offer("load", "sregym_noise_load.noise:Load")]
