"""What one episode is: set before it begins, and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_core.interfaces import Budget
from sregym_core.modes import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from pathlib import Path

    from sregym_core.interfaces import AgentDescription, Cluster, Journal, Mode, Reward
    from sregym_core.model import Problem
    from sregym_core.sealing import Seal


@dataclass(frozen=True)
class EpisodePlan:
    """What one episode is.

    Attributes:
        episode: Id in its run.
        problem: What is broken.
        agent: Who acts.
        seed: Seed of the world.
        attempt: 1 for the first with the same problem and agent.
        budget: Limits of the agent.
        folder: Where the undo journal is written; None for memory only.
        seal: By what the files in it are sealed until the run is over; None for plain ones.
        session_folder: Where a served session keeps its files; None for a temporary folder.
        inject: False plays the healthy control: nothing is broken.
        relapse_s: When positive, the mitigation is judged again that much later.
        extra_setup: Puts into the broken world what is to be there besides, journaled like a fault.
        mode: How the episode is put to the agent.
        reward: What the episode is worth to a trainer; None where no reward is wanted.
        recover: Whether the world is recovered and compared with its baseline at the end; False
            throws a simulated one away instead.
        routine: Whether people go on changing a simulated system after the fault, which they do
            wherever an agent looks at it.
        brief: Whether the outcome alone will be read: then oracles may stop as soon as it is known,
            and what a repair cost is not worked out.
        start_before_s: The agent starts in a healthy system, and it breaks within this time; None
            breaks it before the agent starts.
    """

    episode: str
    problem: Problem
    agent: AgentDescription
    seed: int = 0
    attempt: int = 1
    budget: Budget = field(default_factory=Budget)
    folder: Path | None = None
    seal: Seal | None = None
    session_folder: Path | None = None
    inject: bool = True
    relapse_s: float = 0.0
    extra_setup: Callable[[Cluster, Journal], None] | None = None
    mode: Mode = STANDARD
    start_before_s: float | None = None
    reward: Reward | None = None
    recover: bool = True
    routine: bool = True
    brief: bool = False

    @property
    def start_key(self) -> Hashable | None:
        """What the world that the agent starts in depends on, beside where worlds come from.

        None where it is like no other: it breaks later or not at all, or is on the wall clock.
        """
        if self.start_before_s is not None or not self.inject or self.agent.served:
            return None
        return (self.problem.model_dump_json(), self.seed, self.mode.alerted, self.routine)
