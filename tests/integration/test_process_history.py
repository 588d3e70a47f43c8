"""A world is the same whatever the process has done before: nothing that is kept there decides anything."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Two worlds of one salt in a process that is new: a Job writes into a store, by a script whose steps
# are counted, until memory ends it.
PLAYED_TWICE = """
from sregym_core.api import Workspace
from sregym_core.conductor.episode import EpisodePlayer
from sregym_core.conductor.plan import EpisodePlan
from sregym_core.interfaces import AgentDescription
from sregym_core.proof.comparing import comparable, where_different
from sregym_core.proof.scripted import Scripted, do_nothing

workspace = Workspace()
problem = workspace.factory.problems.get(
    "valkey_memory_disruption_missing_env_var_incorrect_port"
)
records = []
for _ in range(2):
    agent = Scripted(do_nothing, False)
    plan = EpisodePlan("twice", problem, AgentDescription.of(agent), recover=True)
    player = EpisodePlayer(workspace.factory, workspace.factory.worlds("embedded", {}, "salt"), plan)
    records.append(player.play(agent))
    player.release()
same = comparable(records[0]) == comparable(records[1])
print("identical" if same else where_different(*records))
"""


@pytest.mark.thorough
def test_an_episode_played_second_is_the_same_as_one_played_first() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAYED_TWICE], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("identical\n", 0), done.stderr
