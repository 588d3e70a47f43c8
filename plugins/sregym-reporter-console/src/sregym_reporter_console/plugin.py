"""Offers the reporter `console`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_reporters() -> Sequence[Offer]:
    """Offer the terminal reporter."""
    return [Offer("console", "sregym_reporter_console.console:ConsoleReporter")]
