"""Entry point of the plugin: the command `judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`sregym judge`."""
    return [Registration("judge", "sregym_judge.command:Judge")]
