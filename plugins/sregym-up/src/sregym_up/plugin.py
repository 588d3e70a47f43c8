"""Entry point of the plugin: the subcommands `up`, `submit` and `tool`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """`up`, `submit` and `tool`."""
    return [
        Offer("up", "sregym_up.command:Up"),
        Offer("submit", "sregym_up.submit:Submit"),
        Offer("tool", "sregym_up.tool:Tool"),
    ]
