"""Entry point of the plugin: the subcommands `campaign`, `compare` and `power`, and a runner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """`campaign`, `compare`, `power`."""
    return [
        Registration("campaign", "sregym_campaign.command:CampaignCommand"),
        Registration("compare", "sregym_campaign.compare_command:Compare"),
        Registration("power", "sregym_campaign.power_command:PowerCommand"),
    ]


@hookimpl
def sregym_register_runners() -> Sequence[Registration]:
    """`processes`: on this machine."""
    return [Registration("processes", "sregym_campaign.processes:Processes")]
