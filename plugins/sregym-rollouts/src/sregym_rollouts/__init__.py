"""Episodes as trainers play them: rollouts over environments, calls as text, trajectories in ATIF."""

from __future__ import annotations

from sregym_rollouts.actions import Action, function_schemas, parse_action, tools_text
from sregym_rollouts.atif import trajectory
from sregym_rollouts.rollouts import (
    Rollout,
    RolloutResult,
    Rollouts,
    RolloutStep,
    RolloutTask,
    outcome_reward,
    rollout_tasks,
)
from sregym_rollouts.text_features import word_places

__all__ = [
    "Action",
    "Rollout",
    "RolloutResult",
    "RolloutStep",
    "RolloutTask",
    "Rollouts",
    "function_schemas",
    "outcome_reward",
    "parse_action",
    "rollout_tasks",
    "tools_text",
    "trajectory",
    "word_places",
]
