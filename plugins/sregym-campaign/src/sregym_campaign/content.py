"""Episodes for statistics: from a campaign's records, or from a run's."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import SregymError, UsageError
from sregym_runs import read_records

from sregym_campaign.store import Damaged, Store
from sregym_campaign.tries import SETTLED, Try
from sregym_statistics import EpisodeFacts, ProblemFacts, facts_of, problem_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.api import EpisodeRecord, Problem, Workspace

    from sregym_campaign.plan import Plan


@dataclass
class Content:
    """What records hold.

    Attributes:
        name: Of the campaign, or the folder of the run.
        plan: Of a campaign; None for a run.
        episodes: Rows for statistics, with the records that they were made of.
        tries: All tries of a campaign, also those that say nothing of an agent.
        damaged: What could not be read.
        missing: Episodes of the plan that are not settled.
    """

    name: str
    plan: Plan | None = None
    episodes: list[tuple[EpisodeFacts, EpisodeRecord]] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    damaged: list[Damaged] = field(default_factory=list)
    missing: int = 0

    @property
    def facts(self) -> list[EpisodeFacts]:
        """The rows alone."""
        return [one for one, _ in self.episodes]

    @property
    def quiet(self) -> str:
        """The level without noise, against which others are set, by its name in the plan."""
        levels = {} if self.plan is None else self.plan.noise
        return next((name for name, level in levels.items() if level in (0, ())), "none")


def collected(
    url: str, workspace: Workspace, difficulty: Mapping[str, str] | None = None
) -> Content:
    """What a folder or URL holds.

    Args:
        url: Of a campaign, or the folder of a run.
        workspace: Plugins that know the problems.
        difficulty: Classes by id of the problem.

    Raises:
        UsageError: It holds neither.
    """
    store = Store(url)
    plan = store.plan()
    if plan is not None:
        return _of_campaign(store, plan, workspace, difficulty or {})
    if (Path(url) / "run.json").is_file():
        return _of_run(Path(url), workspace, difficulty or {})
    msg = f"{url!r} holds no campaign and no run: give what `sregym campaign run` or `sregym run` named"
    raise UsageError(msg)


def _of_campaign(
    store: Store, plan: Plan, workspace: Workspace, difficulty: Mapping[str, str]
) -> Content:
    content = Content(plan.name, plan)
    known = _known(plan.problems.values(), workspace, difficulty)
    cells = {cell.id: cell for cell in plan.cells}
    best: dict[str, Try] = {}
    for one in store.tries():
        if isinstance(one, Damaged):
            content.damaged.append(one)
            continue
        content.tries.append(one)
        # Of one episode the first try counts that says something; there is never a second.
        if one.kind in SETTLED:
            best.setdefault(one.cell, one)
    for cell in plan.cells:
        settled = best.get(cell.id)
        if settled is None or settled.record is None:
            content.missing += 1
            continue
        agent = plan.agents[cell.agent]
        facts = facts_of(
            settled.record,
            known[cell.problem],
            agent=agent.name,
            noise=cells[cell.id].noise,
            prices=None if agent.prices is None else agent.prices.told(),
        )
        content.episodes.append((facts, settled.record))
    return content


def _of_run(folder: Path, workspace: Workspace, difficulty: Mapping[str, str]) -> Content:
    content = Content(str(folder))
    records = read_records(folder)
    found: list[Problem] = []
    for name in dict.fromkeys(record.problem for record in records):
        try:
            found.append(workspace.problem(name))
        except SregymError:
            continue  # one of a file; what the record says is enough
    known = _known(found, workspace, difficulty)
    for record in records:
        facts = facts_of(record, known.get(record.problem))
        content.episodes.append((facts, record))
    return content


def _known(
    chosen: Iterable[Problem], workspace: Workspace, difficulty: Mapping[str, str]
) -> dict[str, ProblemFacts]:
    return {
        problem.id: problem_facts(
            problem,
            difficulty=difficulty.get(problem.id, "unknown"),
            workspace=workspace,
        )
        for problem in chosen
    }
