"""Offers the reporter `html`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_reporters() -> Sequence[Registration]:
    """Register the report as one file."""
    return [Registration("html", "sregym_reporter_html.report:HtmlReporter")]
