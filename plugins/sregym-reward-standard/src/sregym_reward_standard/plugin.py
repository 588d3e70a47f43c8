"""Entry point of the plugin: rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_rewards() -> Sequence[Registration]:
    """`outcome`, `stages` and `shaped`."""
    return [
        Registration("outcome", "sregym_reward_standard.plain:OutcomeReward"),
        Registration("stages", "sregym_reward_standard.plain:StagesReward"),
        Registration("shaped", "sregym_reward_standard.shaped:ShapedReward"),
    ]
