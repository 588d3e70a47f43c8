"""Entry point of the plugin: the commands `run`, `report` and `verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """`sregym run`, `sregym report`, `sregym verify`."""
    return [
        Offer("run", "sregym_runs.run_command:Run"),
        Offer("report", "sregym_runs.report_command:Report"),
        Offer("verify", "sregym_runs.verify_command:Verify"),
    ]
