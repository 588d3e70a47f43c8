"""Entry point of the plugin: the subcommands `up`, `submit` and `tool`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`up`, `submit` and `tool`."""
    return [
        Registration("up", "sregym_up.command:Up"),
        Registration("submit", "sregym_up.submit:Submit"),
        Registration("tool", "sregym_up.tool:Tool"),
    ]
