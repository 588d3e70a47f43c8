"""Entry point of the plugin: the subcommands `sregym plugins search` and `sregym plugins entry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`plugins-search` and `plugins-entry`."""
    return [
        Registration("plugins-entry", "sregym_index.entry_command:PluginEntry"),
        Registration("plugins-search", "sregym_index.search_command:PluginSearch"),
    ]
