"""An episode played again from its record, for what its record does not hold: its world.

Embedded clusters are deterministic: the same problem and seed and the same commands at the same
virtual times make the same world. What the commands print is compared with the record, so that
another world is not taken for that of the episode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.api import Environment
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import Budget
from sregym_runs import Replay

from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.api import Workspace
    from sregym_core.model import EpisodeRecord
    from sregym_runs import Recorded

    from sregym_cluster_embedded.world import World

CLUSTER = "embedded"
HOUR_S = 3600.0
EPISODE = "replay"
ENDLESS = Budget(episode_s=None, wall_s=None)


@dataclass(frozen=True)
class Replayed:
    """A world with what is known of how it came about.

    Attributes:
        world: At the moment at which the agent stopped.
        began: Virtual second at which the episode began; before that it was deployed and warmed up.
    """

    world: World
    began: float


def replayed(workspace: Workspace, recorded: Recorded) -> Replayed:
    """The world of a recorded episode at the end of its agent's part.

    Args:
        workspace: The plugins.
        recorded: What happened.

    Raises:
        UsageError: The record does not suffice, or what is played differs from it.
    """
    record = recorded.record
    _check(record)
    with Replay(recorded, workspace=workspace) as again:
        again.end()
        _compare(again)
        return _kept(again.environment)


def an_hour(workspace: Workspace, problem: str, seed: int, *, broken: bool) -> Replayed:
    """The world of a problem after an hour without any repair.

    Args:
        workspace: The plugins.
        problem: Its id.
        seed: Of the world.
        broken: False for the healthy control, where nothing is broken.
    """
    return _played(
        workspace,
        problem,
        lambda environment: environment.session.wait(HOUR_S),
        seed=seed,
        broken=broken,
    )


def _played(
    workspace: Workspace, problem: str, act: Callable[[Environment], None], **options: Any
) -> Replayed:
    """The world of an episode once its agent's part is over: a fork, since it is recovered then."""
    environment = Environment(
        problem, cluster=CLUSTER, budget=ENDLESS, episode=EPISODE, workspace=workspace, **options
    )
    with environment:
        try:
            environment.reset()
        except WorldError as error:
            msg = f"problem {problem!r} cannot be played again: {error}"
            raise UsageError(msg) from error
        environment.act(lambda _session: act(environment))
        return _kept(environment)


def _kept(environment: Environment) -> Replayed:
    cluster = environment.cluster
    assert isinstance(cluster, EmbeddedCluster)
    began = cluster.live.now - environment.at_s
    with cluster.live.open() as world:
        return Replayed(world.fork(), began)


def _check(record: EpisodeRecord) -> None:
    if record.cluster != CLUSTER:
        msg = f"{_named(record)} was played on cluster {record.cluster!r}: its telemetry is where that cluster keeps it; only episodes of cluster {CLUSTER!r} can be played again"
        raise UsageError(msg)
    if any(entry.event == "SessionOpened" for entry in record.timeline):
        msg = f"{_named(record)} was open to processes outside, and its record does not hold what they did to the API; it cannot be played again (--hour exports an hour of its problem)"
        raise UsageError(msg)
    if not any(entry.event == "AgentStopped" for entry in record.timeline):
        msg = f"{_named(record)} ended before its agent began: {record.reason}; there is nothing to replay"
        raise UsageError(msg)


def _compare(again: Replay) -> None:
    """Refuse a world in which commands print something else than in the episode."""
    for step in again.mismatches:
        call, record = step.recorded, again.recorded.record
        what = str(call.arguments.get("command", call.tool)).partition("\n")[0]
        why = (
            "the run's record, which is older, does not say with which options its cluster ran"
            if again.recorded.options is None
            else "was it recorded with other versions? run.json names them"
        )
        msg = f"{_named(record)} cannot be played again: call {step.number} ({what}) prints something else than recorded; {why}"
        raise UsageError(msg)


def _named(record: EpisodeRecord) -> str:
    return f"episode {record.episode!r}"
