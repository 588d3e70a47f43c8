"""An episode that is logged, played from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable

from sregym_core.errors import ExitCode
from sregym_testing import SregymProject


def events_of(project: SregymProject) -> list[dict[str, object]]:
    problem = "scale_to_zero_hotel_reservation"
    outcome = project.run("run", problem, "--agent", "noop", "--json", env={"SREGYM_LOG": "json"})
    outcome.assert_exit(ExitCode.FAILED)
    return [json.loads(line) for line in outcome.err.splitlines() if line.startswith("{")]


def test_log_tells_the_episode_and_repeats_itself(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project()
    first = events_of(project)
    assert [entry["event"] for entry in first] == [
        "EpisodeStarted",
        "ApplicationDeployed",
        "BaselineTaken",
        "FaultInjected",
        "FaultConfirmed",
        "AgentStarted",
        "Submitted",
        "StageGraded",
        "Submitted",
        "AgentStopped",
        "StageGraded",
        "Recovered",
        "EpisodeFinished",
    ]
    assert events_of(project) == first
