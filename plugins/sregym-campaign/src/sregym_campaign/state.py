"""What a campaign has spent, what may still be spent, and what is still to be played."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_campaign.plan import thinks
from sregym_campaign.tries import SETTLED, Try, TryKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_campaign.file import AgentSpec, CampaignBudget
    from sregym_campaign.plan import Cell, Plan


@dataclass(frozen=True)
class Allowance:
    """What an episode may take.

    Attributes:
        tokens: At most; None for no limit.
        own: Whether it is the limit of all episodes, not what the campaign's budget has left.
    """

    tokens: int | None
    own: bool = True


class CampaignState:
    """All tries of a campaign, those before it was gone on with included.

    Args:
        plan: The campaign.
        budget: Of all tries together.
        retries: How often an episode is played again.
    """

    def __init__(self, plan: Plan, budget: CampaignBudget, retries: int) -> None:
        self.plan = plan
        self._budget = budget
        self._retries = retries
        self._cells = {cell.id: cell for cell in plan.cells}
        self.tries: dict[str, list[Try]] = defaultdict(list)
        self._held: dict[str, int] = {}

    def add(self, one: Try) -> None:
        """Count a try; what was held back for it is free."""
        self.tries[one.cell].append(one)
        self._held.pop(one.cell, None)

    def settled(self, cell: str) -> bool:
        """Whether nothing more is played for an episode."""
        mine = self.tries.get(cell, [])
        return any(one.kind in SETTLED for one in mine) or self._spent_tries(mine) > self._retries

    def open(self) -> list[Cell]:
        """Episodes that are still to be played, in the order of the plan."""
        return [cell for cell in self.plan.cells if not self.settled(cell.id)]

    def next_number(self, cell: str) -> int:
        """Of the next try of an episode."""
        return max((one.number for one in self.tries.get(cell, [])), default=0) + 1

    def failed_tries(self, cell: str) -> int:
        """How many tries of an episode have come to nothing."""
        return self._spent_tries(self.tries.get(cell, []))

    @property
    def tokens(self) -> int:
        """Spent so far."""
        return sum(one.tokens for one in self._all())

    @property
    def cost(self) -> float:
        """Money spent so far, as far as prices are known."""
        return sum(one.cost or 0.0 for one in self._all())

    def kinds(self) -> Counter[TryKind]:
        """How many tries ended in which way."""
        return Counter(one.kind for one in self._all())

    def hold(self, cell: Cell, limit: int | None) -> Allowance | None:
        """Hold back what an episode may take; None where the budget has not enough left.

        Args:
            cell: The episode.
            limit: Of tokens, of every episode.
        """
        agent = self.plan.agents[cell.agent]
        left = self._left(agent)
        if not thinks(agent) or left is None:
            return Allowance(limit)
        needed = limit or self._usual(agent)
        if left <= 0 or left < needed:
            return None
        self._held[cell.id] = needed
        return Allowance(limit) if limit is not None else Allowance(left, own=False)

    def unfinished(self, cell: str, number: int, limit: int | None) -> Try:
        """A try that was begun by a process that is gone: what it spent is taken at its usual."""
        agent = self.plan.agents[self._cells[cell].agent]
        tokens = limit or self._usual(agent)
        cost = None if agent.prices is None else tokens * agent.prices.highest / 1e6
        return Try(
            cell=cell,
            number=number,
            kind=TryKind.UNFINISHED,
            why="what it spent is not known; it is counted at the most that it may have been",
            tokens=tokens,
            cost=cost,
        )

    def _all(self) -> Iterable[Try]:
        return (one for mine in self.tries.values() for one in mine)

    def _spent_tries(self, mine: Iterable[Try]) -> int:
        """Tries that count against the number of retries: what the user ended does not."""
        free = (TryKind.UNFINISHED, TryKind.BUDGET)
        return sum(one.kind not in free for one in mine)

    def _left(self, agent: AgentSpec) -> int | None:
        """Tokens that may still be begun with; None for as many as wanted."""
        limits = []
        held = sum(self._held.values())
        if self._budget.tokens is not None:
            limits.append(self._budget.tokens - self.tokens - held)
        if self._budget.money is not None and agent.prices is not None and agent.prices.highest:
            free = self._budget.money - self.cost - self._held_money()
            limits.append(int(free / agent.prices.highest * 1e6))
        return min(limits, default=None)

    def _held_money(self) -> float:
        total = 0.0
        for cell, tokens in self._held.items():
            prices = self.plan.agents[self._cells[cell].agent].prices
            total += 0.0 if prices is None else tokens * prices.highest / 1e6
        return total

    def _usual(self, agent: AgentSpec) -> int:
        """What an episode of an agent takes: so far, else as expected."""
        seen = [
            one.tokens
            for cell, mine in self.tries.items()
            if self._cells[cell].agent == agent.name
            for one in mine
            if one.record is not None
        ]
        return max(seen, default=agent.expected_tokens or 1)
