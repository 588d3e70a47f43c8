"""Entry point of the plugin: the subcommand `sregym replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`replay`."""
    return [Registration("replay", "sregym_replay.command:ReplayCommand")]
