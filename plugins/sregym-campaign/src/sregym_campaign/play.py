"""A campaign goes on until all its episodes are settled or its budget is used up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sregym_core.interfaces import Budget, EpisodeRequest
from sregym_core.model import sources_and_level

from sregym_campaign.plan import thinks
from sregym_campaign.state import Allowance, CampaignState
from sregym_campaign.store import Damaged
from sregym_campaign.tries import SETTLED, ended

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces import EpisodeResult, Runner

    from sregym_campaign.file import CampaignFile
    from sregym_campaign.plan import Cell, Plan
    from sregym_campaign.store import Store
    from sregym_campaign.tries import Try

# So often the display is renewed and the writer gives a sign of life.
_TURN_S = 0.5


class CampaignPlay:
    """Plays what a plan leaves open, and keeps each try.

    Args:
        plan: The campaign.
        file: Budgets, retries and limits, which may be others than when it began.
        store: Claimed by this process.
        runner: Where episodes are played.
        told: Called after each try, and now and then between them.

    Attributes:
        state: All tries.
        damaged: Records that could not be read and were set aside.
        running: Episodes that are being played.
    """

    def __init__(
        self,
        plan: Plan,
        file: CampaignFile,
        store: Store,
        runner: Runner,
        told: Callable[[CampaignPlay, Try | None], None],
    ) -> None:
        self._plan, self._file, self._store, self._runner = plan, file, store, runner
        self._told = told
        self.state = CampaignState(plan, file.budget, file.retries)
        self.damaged: list[Damaged] = []
        self.running: dict[str, tuple[Cell, int, Allowance]] = {}
        self._due: dict[str, float] = {}

    def recall(self) -> None:
        """Take what was kept before; set aside what cannot be read, to be played again."""
        for one in self._store.tries():
            if isinstance(one, Damaged):
                self._store.set_aside(one)
                self.damaged.append(one)
            else:
                self.state.add(one)
        known = {one.id for mine in self.state.tries.values() for one in mine}
        for name in sorted(self._store.begun() - known):
            cell, _, number = name.partition("-")
            lost = self.state.unfinished(cell, int(number), self._plan.limits.tokens)
            self._keep(lost)

    def run(self) -> bool:
        """Play; returns whether all episodes are settled."""
        try:
            while True:
                self._begin()
                if not self.running and not self._waiting():
                    return not self.state.open()
                for played in self._runner.wait(_TURN_S):
                    self._take(played)
                self._store.beat()
                self._told(self, None)
        finally:
            self._runner.close()

    def _waiting(self) -> bool:
        """Whether an episode will be due, and can be paid then."""
        return any(time.monotonic() < at for at in self._due.values())

    def _begin(self) -> None:
        """Hand out as much as there is room for."""
        for cell in self.state.open() if self._runner.free > 0 else ():
            if self._runner.free <= 0:
                return
            if cell.id in self.running or time.monotonic() < self._due.get(cell.id, 0.0):
                continue
            allowance = self.state.hold(cell, self._plan.limits.tokens)
            if allowance is None:
                continue  # one with another agent may still be paid
            number = self.state.next_number(cell.id)
            if thinks(self._plan.agents[cell.agent]):
                self._store.note_begun(f"{cell.id}-{number}")
            self._due.pop(cell.id, None)
            self.running[cell.id] = (cell, number, allowance)
            limits = self._plan.limits
            self._runner.begin(
                self._request(cell, number, allowance), limits.wall_s + limits.grace_s
            )

    def _request(self, cell: Cell, number: int, allowance: Allowance) -> EpisodeRequest:
        agent, limits = self._plan.agents[cell.agent], self._plan.limits
        sources, level = sources_and_level(self._plan.noise[cell.noise])
        return EpisodeRequest(
            key=f"{cell.id}-{number}",
            problem=self._plan.problems[cell.problem],
            agent=agent.agent,
            agent_options=agent.options,
            seed=cell.seed,
            salt=self._plan.salt,
            attempt=cell.attempt,
            mode=cell.mode,
            noise=sources,
            noise_level=level,
            budget=Budget(limits.episode_s, limits.wall_s, limits.steps, allowance.tokens),
            cluster=self._plan.cluster,
            reward=self._plan.reward,
        )

    def _take(self, played: EpisodeResult) -> None:
        cell, number, allowance = self.running.pop(played.request.key.rpartition("-")[0])
        agent = self._plan.agents[cell.agent]
        one = ended(cell.id, number, played, agent, self._plan.limits, allowance.own)
        self._keep(one)
        if one.kind not in SETTLED:
            wait_s = self._file.backoff_s * 2 ** max(0, self.state.failed_tries(cell.id) - 1)
            self._due[cell.id] = time.monotonic() + wait_s
        self._told(self, one)

    def _keep(self, one: Try) -> None:
        self._store.add(one)
        self.state.add(one)
