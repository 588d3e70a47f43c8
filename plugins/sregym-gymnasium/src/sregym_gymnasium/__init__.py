"""SREGym for Gymnasium: importing this registers `SREGym/Text-v0` and `SREGym/Moves-v0`.

env = gymnasium.make("sregym_gymnasium:SREGym/Text-v0", problems=["revoke_auth_mongodb-1"])
"""

from __future__ import annotations

import gymnasium

from sregym_gymnasium.environment import TextEnv
from sregym_gymnasium.features import WordCounts
from sregym_gymnasium.moves import MovesEnv
from sregym_gymnasium.spaces import AnyText
from sregym_gymnasium.vector import vector

__all__ = ["AnyText", "MovesEnv", "TextEnv", "WordCounts", "vector"]

# Worlds follow from problem and seed, so both are deterministic. What ends episodes is the budget.
gymnasium.register("SREGym/Text-v0", entry_point="sregym_gymnasium.environment:TextEnv")
gymnasium.register("SREGym/Moves-v0", entry_point="sregym_gymnasium.moves:MovesEnv")
