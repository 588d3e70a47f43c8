"""Entry point of the plugin: the subcommands `campaign`, `compare` and `power`, and a runner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """`campaign`, `compare`, `power`."""
    return [
        Offer("campaign", "sregym_campaign.command:CampaignCommand"),
        Offer("compare", "sregym_campaign.compare_command:Compare"),
        Offer("power", "sregym_campaign.power_command:PowerCommand"),
    ]


@hookimpl
def sregym_register_runners() -> Sequence[Offer]:
    """`processes`: on this machine."""
    return [Offer("processes", "sregym_campaign.processes:Processes")]
