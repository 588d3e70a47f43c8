"""Entry point of the plugin: the command `audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`sregym audit`."""
    return [Registration("audit", "sregym_audit.command:Audit")]
