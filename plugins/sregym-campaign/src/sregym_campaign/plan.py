"""From a file to all episodes of a campaign, and what would be in their way."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.api import instruction, problems
from sregym_core.errors import SregymError
from sregym_core.model import Problem, sources_and_level

from sregym_campaign.file import (
    AgentSpec,
    CampaignFile,
    Limits,
    mistakes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from sregym_core.api import Workspace
    from sregym_core.model.defect import Location

# No text of a model's input has more characters to a token, in the mean.
_CHARACTERS_A_TOKEN = 8


class Cell(BaseModel):
    """One episode of the plan, which may take several tries.

    Attributes:
        id: `e00001` and so on, in the order of the plan: names of files tell nothing.
        problem: Id.
        agent: What the file calls the agent.
        mode: Of the episode.
        noise: Name of the level.
        seed: Of the world.
        attempt: From 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    problem: str
    agent: str
    mode: str
    noise: str
    seed: int
    attempt: int


class Plan(BaseModel):
    """All that a campaign is, as it is kept with its records.

    Attributes:
        format: Of the files.
        name: Of the campaign.
        digest: Of its file.
        salt: Of all its worlds, so that agents meet the same ones.
        cells: All episodes.
        problems: By id, as they were when it began.
        agents: By name.
        baselines: Names of those that play besides.
        noise: Levels by name.
        cluster: As behind `--cluster`.
        reward: As behind `--reward`.
        limits: Of each episode.
        plugins: Name and version of each distribution that was installed when it began.
        finished: Whether all episodes are settled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = 1
    name: str
    digest: str
    salt: str
    cells: tuple[Cell, ...]
    problems: dict[str, Problem]
    agents: dict[str, AgentSpec]
    baselines: tuple[str, ...]
    noise: dict[str, int | tuple[str, ...] | None]
    cluster: str
    reward: str | None = None
    limits: Limits
    plugins: dict[str, str] = Field(default_factory=dict)
    finished: bool = False


@dataclass
class _Check:
    """Collects what is wrong, each with its location in the file."""

    found: list[tuple[Location, str]] = field(default_factory=list)

    def add(self, where: Location, what: str) -> None:
        self.found.append((where, what))

    def of(self, where: Location, look: Callable[..., Any], *given: Any, **named: Any) -> Any:
        try:
            return look(*given, **named)
        except SregymError as error:
            self.add(where, str(error))
            return None


def planned(file: CampaignFile, path: Path, workspace: Workspace, salt: str) -> Plan:
    """All episodes of a file.

    Args:
        file: What is wanted.
        path: For errors.
        workspace: Loaded plugins.
        salt: Of the worlds.

    Raises:
        UsageError: Something in it cannot be played; all that was found is told at once.
    """
    check = _Check()
    chosen = _problems(file, workspace, check)
    agents = _agents(file, workspace, check)
    _conditions(file, chosen, workspace, check)
    if chosen and not check.found:
        _budget(file, agents, chosen, workspace, check)
    if check.found:
        raise mistakes(path, file.text, check.found)
    return Plan(
        name=file.name,
        digest=file.digest,
        salt=salt,
        cells=tuple(_cells(file, chosen, agents)),
        problems={problem.id: problem for problem in chosen},
        agents={agent.name: agent for agent in agents},
        baselines=tuple(agent.name for agent in agents[len(file.agents) :]),
        noise=file.noise,
        cluster=file.cluster,
        reward=file.reward,
        limits=file.limits,
        plugins={
            status.distribution: status.version
            for status in workspace.factory.plugins.statuses()
            if status.distribution
        },
    )


def _problems(file: CampaignFile, workspace: Workspace, check: _Check) -> list[Problem]:
    found: dict[str, Problem] = {}
    for number, suite in enumerate(file.suites):
        members = check.of(("suites", number), problems, suite=suite, workspace=workspace)
        if members is not None and not members:
            check.add(("suites", number), f"suite {suite!r} has no problem that is installed")
        for problem in members or ():
            found[problem.id] = problem
    for number, name in enumerate(file.problems):
        problem = check.of(("problems", number), workspace.problem, name)
        if problem is not None:
            found[problem.id] = problem
    if not file.suites and not file.problems:
        check.add((), "needs one of the keys suites and problems")
    return list(found.values())


def _agents(file: CampaignFile, workspace: Workspace, check: _Check) -> list[AgentSpec]:
    """Those of the file, then the baselines that it does not name itself."""
    named = [agent.name for agent in file.agents]
    for name in sorted({name for name in named if named.count(name) > 1}):
        check.add(("agents",), f"two are called {name!r}; give one another name")
    for number, agent in enumerate(file.agents):
        made = check.of(("agents", number), workspace.agent, agent.agent, agent.options)
        if made is not None and (lacks := made.missing()):
            check.add(("agents", number), f"agent {agent.name!r} lacks {lacks}")
        if file.budget.money is not None and agent.prices is None and thinks(agent):
            check.add(
                ("agents", number),
                f"agent {agent.name!r} has no prices, and the budget is in money",
            )
    plain = {agent.agent for agent in file.agents if not agent.options}
    besides = [name for name in file.baselines if name not in plain and name not in named]
    for name in besides:
        check.of(("baselines",), workspace.agent, name, {})
    return [*file.agents, *(AgentSpec(name=name, agent=name) for name in besides)]


def _conditions(
    file: CampaignFile, chosen: Iterable[Problem], workspace: Workspace, check: _Check
) -> None:
    from sregym_core.api import Environment

    some = next(iter(chosen), None)
    if not file.noise:
        check.add(("noise",), "there is no level; leave the key out, or write {none: []}")
    if some is None:
        return
    for number, mode in enumerate(file.modes):
        check.of(("modes", number), Environment, some, mode=mode, workspace=workspace)
    for name, noise in file.noise.items():
        sources, level = sources_and_level(noise)
        options = {"noise": sources, "noise_level": level, "workspace": workspace}
        check.of(("noise", name), Environment, some, **options)
    check.of(("cluster",), workspace.worlds, file.cluster)
    if file.reward is not None:
        check.of(("reward",), workspace.reward, file.reward)
    _check_runner(file, workspace, check)


def _check_runner(file: CampaignFile, workspace: Workspace, check: _Check) -> None:
    def make() -> None:
        registry = workspace.factory.registry
        made = registry.make("runner", file.runner.name, file.runner.jobs, file.runner.options)
        made.close()

    check.of(("runner",), make)


def _budget(
    file: CampaignFile,
    agents: Iterable[AgentSpec],
    chosen: list[Problem],
    workspace: Workspace,
    check: _Check,
) -> None:
    """Whether the budget can be enough for each episode once, by the least that they can take."""
    tokens, money = 0, 0.0
    worlds = len(file.noise) * len(file.seeds) * file.attempts
    for agent in agents:
        if not thinks(agent):
            continue
        for problem, mode in product(chosen, file.modes):
            least = agent.expected_tokens or _least(problem, mode, workspace)
            tokens += worlds * least
            if agent.prices is not None:
                money += worlds * least * agent.prices.prompt / 1e6
    budget = file.budget
    if budget.tokens is not None and tokens > budget.tokens:
        check.add(
            ("budget", "tokens"),
            f"{budget.tokens:,} cannot suffice: all episodes take at least {tokens:,}",
        )
    if budget.money is not None and money > budget.money:
        check.add(
            ("budget", "money"),
            f"{budget.money:g} cannot suffice: all episodes cost at least {money:.2f}",
        )
    limit = file.limits.tokens
    if budget.tokens is not None and tokens and limit is not None and limit > budget.tokens:
        check.add(
            ("budget", "tokens"),
            f"{budget.tokens:,} is less than one episode may take (limits.tokens: {limit:,})",
        )


def _least(problem: Problem, mode: str, workspace: Workspace) -> int:
    """A model has to read the instruction once."""
    return -(-len(instruction(problem, mode, workspace=workspace)) // _CHARACTERS_A_TOKEN)


def thinks(agent: AgentSpec) -> bool:
    """Whether a language model is behind an agent, as far as the file tells."""
    return agent.prices is not None or agent.expected_tokens is not None or "model" in agent.options


def _cells(
    file: CampaignFile, chosen: Iterable[Problem], agents: Iterable[AgentSpec]
) -> Iterable[Cell]:
    """Worlds outermost: what is over early has all agents in the same worlds."""
    own = {agent.name for agent in file.agents}
    number = 0
    for attempt, seed, level, mode in product(
        range(1, file.attempts + 1), file.seeds, file.noise, file.modes
    ):
        for problem, agent in product(chosen, agents):
            if attempt > 1 and agent.name not in own:
                continue  # a script does the same again
            number += 1
            yield Cell(
                id=f"e{number:05d}",
                problem=problem.id,
                agent=agent.name,
                mode=mode,
                noise=level,
                seed=seed,
                attempt=attempt,
            )
