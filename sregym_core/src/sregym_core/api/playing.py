"""Episodes in one call: an agent plays a problem, a problem is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.api.arguments import checked
from sregym_core.api.environment import Environment
from sregym_core.api.workspace import shared
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces.agent import Agent, AgentDescription

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.api.workspace import Workspace
    from sregym_core.interfaces.agent import Session
    from sregym_core.interfaces.runner import EpisodeRequest
    from sregym_core.model import EpisodeRecord, Problem
    from sregym_core.proof import Proof


class FunctionAgent(Agent):
    """A function of a session as an agent.

    Args:
        act: What it does.
    """

    name: ClassVar[str] = "function"

    def __init__(self, act: Callable[[Session], object]) -> None:
        super().__init__()
        self._act = act
        self.__wrapped__ = act  # whose what it raises is

    def run(self, session: Session) -> None:
        """Call the function."""
        self._act(session)


@checked
def play(
    problem: str | Problem,
    agent: str | Agent | Callable[[Session], object],
    *,
    agent_options: Mapping[str, str] | None = None,
    workspace: Workspace | None = None,
    **options: Any,
) -> EpisodeRecord:
    """Let an agent play one episode.

    Args:
        problem: Its id, or a `Problem`.
        agent: Name of an adapter, an adapter, or a function of a `Session`. A function is recorded
            under its own name.
        agent_options: Of an adapter that is named.
        workspace: As for `Environment`.
        options: As for `Environment`: `seed`, `mode`, `cluster`, `noise`, `budget` ...

    Returns:
        The record. What the agent raised, and a world that was not right, stand in it.

    Raises:
        UsageError: There is no such problem, agent, mode or kind of cluster.
    """
    place = workspace or shared()
    if isinstance(agent, str):
        adapter = place.agent(agent, agent_options)
    elif agent_options:
        msg = "play: agent_options go with the name of an agent; give an adapter its options itself"
        raise UsageError(msg)
    else:
        adapter = agent if isinstance(agent, Agent) else FunctionAgent(agent)
    description = AgentDescription.of(adapter)
    if isinstance(adapter, FunctionAgent):
        description = AgentDescription(getattr(agent, "__name__", adapter.name))
    options.setdefault("agent", description)
    with Environment(problem, workspace=workspace, **options) as environment:
        try:
            environment.reset()
        except WorldError:
            if environment.record is None:
                raise
            return environment.record
        environment.act(adapter.run)
        return environment.close()


@checked
def play_request(request: EpisodeRequest, workspace: Workspace | None = None) -> EpisodeRecord:
    """Play an episode as requested, in a campaign for instance.

    Args:
        request: All of it.
        workspace: As for `Environment`.

    Raises:
        UsageError: There is no such agent, mode, noise or kind of cluster.
    """
    return play(
        request.problem,
        request.agent,
        agent_options=request.agent_options,
        workspace=workspace,
        seed=request.seed,
        salt=request.salt,
        mode=request.mode,
        cluster=request.cluster,
        noise=request.noise,
        noise_level=request.noise_level,
        budget=request.budget,
        start_before_s=request.start_before_s,
        episode=request.key,
        attempt=request.attempt,
        reward=request.reward,
    )


@checked
def verify(
    problem: str | Problem,
    *,
    seed: int = 0,
    cluster: str = "embedded",
    workspace: Workspace | None = None,
) -> Proof:
    """Prove a problem: play the whole battery for it.

    Args:
        problem: Its id, or a `Problem`: `pair(...)` proves a fault on any target that it fits.
        seed: Of all episodes.
        cluster: As behind `--cluster`.
        workspace: As for `Environment`.

    Returns:
        All checks; `proved` tells whether each came out as it had to.
    """
    from sregym_core.proof import prove

    place = workspace or shared()
    found = place.resolved(problem)
    place.factory.check(found)
    return prove(place.factory, place.worlds(cluster), found, seed)
