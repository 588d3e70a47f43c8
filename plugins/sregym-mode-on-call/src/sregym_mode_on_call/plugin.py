"""Entry point of the plugin: the mode `on-call`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_modes() -> Sequence[Registration]:
    """`--mode on-call`."""
    return [Registration("on-call", "sregym_mode_on_call.mode:OnCall")]
