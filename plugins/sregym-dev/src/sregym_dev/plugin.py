"""Entry point of the plugin: the subcommands `sregym new`, `sregym lint` and `sregym schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """`new`, `lint` and `schema`."""
    return [
        Offer("new", "sregym_dev.command:New"),
        Offer("lint", "sregym_dev.lint:Lint"),
        Offer("schema", "sregym_dev.schema:Schema"),
    ]
