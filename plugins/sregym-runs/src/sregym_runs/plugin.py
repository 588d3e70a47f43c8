"""Entry point of the plugin: the commands `run`, `report` and `verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`sregym run`, `sregym report`, `sregym verify`."""
    return [
        Registration("run", "sregym_runs.run_command:Run"),
        Registration("report", "sregym_runs.report_command:Report"),
        Registration("verify", "sregym_runs.verify_command:Verify"),
    ]
