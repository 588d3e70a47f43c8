"""The public interface for programs: environments, episodes, proofs and the catalogue.

    from sregym_core.api import Environment, play

    with Environment("wrong_service_selector_hotel_reservation", seed=7) as env:
        task = env.reset()
        seen = env.step("kubectl", command="get pods -n hotel-reservation")
        env.submit("geo's account lost its role ...")
        env.submit("repaired")
        record = env.close()

    record = play("wrong_service_selector_hotel_reservation", "expert", seed=7)

An environment is pulled: the caller decides when something is done. `play` pushes an `Agent`, or a
function of a `Session`, through the same environment. Names are imported when they are first used,
so that importing this module costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_core.api.catalogue import (
        Solution,
        instruction,
        problems,
        solution,
    )
    from sregym_core.api.environment import Environment
    from sregym_core.api.errors import (
        CannotForkError,
        EnvironmentClosedError,
        EnvironmentUsageError,
        EpisodeOpenError,
        EpisodeOverError,
        NoEpisodeError,
        ToolArgumentError,
        UnknownToolError,
    )
    from sregym_core.api.playing import play, play_request, verify
    from sregym_core.api.task import Observation, TaskDescription
    from sregym_core.api.workspace import Workspace
    from sregym_core.interfaces.agent import Agent, Budget, Session
    from sregym_core.interfaces.reward import Reward
    from sregym_core.interfaces.runner import EpisodeRequest, EpisodeResult, Runner
    from sregym_core.model import Claims, EpisodeRecord, GroundTruth, Outcome, Problem
    from sregym_core.modes import check_start
    from sregym_core.proof import Proof
    from sregym_core.salt import random_seed

_PLACES = {
    "Agent": "sregym_core.interfaces.agent",
    "Budget": "sregym_core.interfaces.agent",
    "CannotForkError": "sregym_core.api.errors",
    "Claims": "sregym_core.model",
    "Environment": "sregym_core.api.environment",
    "EnvironmentClosedError": "sregym_core.api.errors",
    "EnvironmentUsageError": "sregym_core.api.errors",
    "EpisodeOpenError": "sregym_core.api.errors",
    "EpisodeOverError": "sregym_core.api.errors",
    "EpisodeRecord": "sregym_core.model",
    "EpisodeRequest": "sregym_core.interfaces.runner",
    "EpisodeResult": "sregym_core.interfaces.runner",
    "GroundTruth": "sregym_core.model",
    "NoEpisodeError": "sregym_core.api.errors",
    "Observation": "sregym_core.api.task",
    "Outcome": "sregym_core.model",
    "Problem": "sregym_core.model",
    "Proof": "sregym_core.proof",
    "Reward": "sregym_core.interfaces.reward",
    "Runner": "sregym_core.interfaces.runner",
    "Session": "sregym_core.interfaces.agent",
    "Solution": "sregym_core.api.catalogue",
    "TaskDescription": "sregym_core.api.task",
    "ToolArgumentError": "sregym_core.api.errors",
    "UnknownToolError": "sregym_core.api.errors",
    "Workspace": "sregym_core.api.workspace",
    "check_start": "sregym_core.modes",
    "instruction": "sregym_core.api.catalogue",
    "play": "sregym_core.api.playing",
    "play_request": "sregym_core.api.playing",
    "problems": "sregym_core.api.catalogue",
    "random_seed": "sregym_core.salt",
    "solution": "sregym_core.api.catalogue",
    "verify": "sregym_core.api.playing",
}

__all__ = [
    "Agent",
    "Budget",
    "CannotForkError",
    "Claims",
    "Environment",
    "EnvironmentClosedError",
    "EnvironmentUsageError",
    "EpisodeOpenError",
    "EpisodeOverError",
    "EpisodeRecord",
    "EpisodeRequest",
    "EpisodeResult",
    "GroundTruth",
    "NoEpisodeError",
    "Observation",
    "Outcome",
    "Problem",
    "Proof",
    "Reward",
    "Runner",
    "Session",
    "Solution",
    "TaskDescription",
    "ToolArgumentError",
    "UnknownToolError",
    "Workspace",
    "check_start",
    "instruction",
    "play",
    "play_request",
    "problems",
    "random_seed",
    "solution",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    if name not in _PLACES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """The promised names."""
    return list(__all__)
