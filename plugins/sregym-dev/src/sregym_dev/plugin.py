"""Entry point of the plugin: the subcommands `sregym new`, `sregym lint` and `sregym schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`new`, `lint` and `schema`."""
    return [
        Registration("new", "sregym_dev.command:New"),
        Registration("lint", "sregym_dev.lint:Lint"),
        Registration("schema", "sregym_dev.schema:Schema"),
    ]
