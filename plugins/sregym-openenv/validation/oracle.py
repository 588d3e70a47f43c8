"""Earn the full reward of a task of a running server: what OpenEnv calls the oracle.

    python oracle.py http://127.0.0.1:8000 test 3

Runs where the server runs, with its variables, since it looks up the solution there. Exit code 1
when the reward is not 1.
"""

from __future__ import annotations

import os
import sys

from sregym_openenv import SregymAction, SregymEnv
from sregym_openenv.settings import Settings


def main(url: str, split: str, index: int) -> int:
    """Play what solves the task."""
    settings = Settings.of(os.environ)
    with settings.rollouts() as rollouts:
        task = settings.splits(rollouts)[split][index]
        actions = rollouts.reference(task)
        tools = rollouts.start(task).description.tools
    reward = 0.0
    with SregymEnv(base_url=url).sync() as env:
        env.reset(split=split, index=index)
        for action in actions:
            reward += env.step(SregymAction(command=action.line(tools))).reward or 0.0
    print(f"{split} {index}: reward {reward}")  # noqa: T201 - a program
    return int(reward != 1.0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
