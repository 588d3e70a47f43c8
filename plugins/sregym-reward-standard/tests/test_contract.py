"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Reward
from sregym_reward_standard.plain import OutcomeReward, StagesReward
from sregym_reward_standard.shaped import ShapedReward
from sregym_testing import PluginContract, RewardContract


class TestPlugin(PluginContract):
    distribution = "sregym-reward-standard"


class TestRewards(RewardContract):
    @pytest.fixture(params=[OutcomeReward, StagesReward, ShapedReward])
    def reward(self, request: pytest.FixtureRequest) -> Reward:
        made: type[Reward] = request.param
        return made()
