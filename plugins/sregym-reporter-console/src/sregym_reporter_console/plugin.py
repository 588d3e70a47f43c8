"""Offers the reporter `console`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_reporters() -> Sequence[Registration]:
    """Register the terminal reporter."""
    return [Registration("console", "sregym_reporter_console.console:ConsoleReporter")]
