"""Entry point of the plugin: the mode `on-call`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_modes() -> Sequence[Offer]:
    """`--mode on-call`."""
    return [Offer("on-call", "sregym_mode_on_call.mode:OnCall")]
