"""Entry point of the plugin: the command `doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """`sregym doctor`."""
    return [Offer("doctor", "sregym_doctor.command:Doctor")]
