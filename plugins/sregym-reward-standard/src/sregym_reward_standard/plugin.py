"""Entry point of the plugin: rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_rewards() -> Sequence[Offer]:
    """`outcome`, `stages` and `shaped`."""
    return [
        Offer("outcome", "sregym_reward_standard.plain:OutcomeReward"),
        Offer("stages", "sregym_reward_standard.plain:StagesReward"),
        Offer("shaped", "sregym_reward_standard.shaped:ShapedReward"),
    ]
