"""What can be played: problems, how they are put to agents, and their solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api.arguments import checked
from sregym_core.api.workspace import shared

if TYPE_CHECKING:
    from sregym_core.api.workspace import Workspace
    from sregym_core.model import GroundTruth, Problem


@dataclass(frozen=True)
class Solution:
    """What only the harness knows of a problem.

    Attributes:
        ground_truths: The ground truth of each fault.
        fixes: For each fault the commands of the reference fix, as a person types them.
    """

    ground_truths: tuple[GroundTruth, ...]
    fixes: tuple[tuple[str, ...], ...]


@checked
def problems(
    *, suite: str = "", application: str = "", workspace: Workspace | None = None
) -> tuple[Problem, ...]:
    """The problems of all plugins, sorted by id.

    Args:
        suite: Only those of this suite.
        application: Only those of this application.
        workspace: As for `Environment`.

    Raises:
        UsageError: There is no such suite or application.
    """
    factory = (workspace or shared()).factory
    known = factory.problems
    listed = known.in_suite(suite) if suite else known.all()
    found = tuple(one for one in listed if not application or one.application == application)
    if application and not found:
        factory.application(application)  # refuses the name of none
    return found


@checked
def solution(problem: str | Problem, *, workspace: Workspace | None = None) -> Solution:
    """What is wrong in a problem and how it is repaired.

    Where that depends on the nodes of a cluster, it holds for a simulated one with seed 0.

    Args:
        problem: Its id, or a `Problem`.
        workspace: As for `Environment`.
    """
    from sregym_core.conductor.offline import ground_truths_and_fixes

    place = workspace or shared()
    told = ground_truths_and_fixes(place.factory, place.resolved(problem))
    return Solution(tuple(truth for truth, _ in told), tuple(fix for _, fix in told))


@checked
def instruction(
    problem: str | Problem, mode: str = "standard", *, workspace: Workspace | None = None
) -> str:
    """The instruction of an agent for a problem.

    Args:
        problem: Its id, or a `Problem`.
        mode: How the episode is put to the agent; alerts, which only an episode has, stand as `...`.
        workspace: As for `Environment`.

    Raises:
        UsageError: There is no such problem or mode.
    """
    from sregym_core.conductor import offline

    place = workspace or shared()
    return offline.instruction(place.factory, place.resolved(problem), place.mode(mode))
