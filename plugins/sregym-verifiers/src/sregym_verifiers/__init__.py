"""SREGym for verifiers: the taskset `sregym_verifiers`, and the environment that plays it."""

from __future__ import annotations

from sregym_verifiers.environment import SregymEnv, SregymEnvConfig
from sregym_verifiers.taskset import SregymConfig, SregymData, SregymTask, SregymTaskset

__all__ = [
    "SregymConfig",
    "SregymData",
    "SregymEnv",
    "SregymEnvConfig",
    "SregymTask",
    "SregymTaskset",
]
