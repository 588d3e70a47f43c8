"""A try: an episode of the plan, played once, and what kind of end it came to."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict
from sregym_core.api import EpisodeRecord, Outcome

from sregym_statistics import cost_of

if TYPE_CHECKING:
    from sregym_core.interfaces import EpisodeResult

    from sregym_campaign.file import AgentSpec, Limits

_LIMITED = re.compile(r"\b429\b|rate.?limit|too many requests|overloaded|\b529\b", re.IGNORECASE)
# How a record begins to say what an adapter raised.
_RAISED = "the agent raised "
# An adapter that has given no sign for this part of its time hangs; it is not slow.
_IDLE = 0.5


class TryKind(StrEnum):
    """How a try ended. Only `graded` and `skipped` settle an episode; all else is counted apart."""

    GRADED = "graded"
    SKIPPED = "skipped"
    LIMITED = "provider limited"
    FAILED = "provider or adapter failed"
    HUNG = "provider or adapter hung"
    LOST = "process lost"
    WORLD = "world not right"
    BUDGET = "stopped by the campaign's budget"
    UNFINISHED = "campaign was killed"


SETTLED = (TryKind.GRADED, TryKind.SKIPPED)


class Try(BaseModel):
    """What came of playing an episode of the plan once.

    Attributes:
        cell: Its id in the plan.
        number: From 1.
        kind: How it ended.
        why: In words, where it is not graded.
        tokens: That it took, as far as is known.
        cost: The same in money; None without prices.
        record: Of the episode, where there is one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cell: str
    number: int
    kind: TryKind
    why: str = ""
    tokens: int = 0
    cost: float | None = None
    record: EpisodeRecord | None = None

    @property
    def id(self) -> str:
        """Of its file."""
        return f"{self.cell}-{self.number}"


def ended(
    cell: str, number: int, played: EpisodeResult, agent: AgentSpec, limits: Limits, own_limit: bool
) -> Try:
    """The try that was played.

    Args:
        cell: Its episode's id.
        number: From 1.
        played: What came of it.
        agent: Who played.
        limits: Of each episode.
        own_limit: Whether its limit of tokens was that of all episodes, not what the campaign's
            budget had left.
    """
    record = played.record
    if record is None:
        return Try(cell=cell, number=number, kind=TryKind.LOST, why=played.lost)
    kind, why = kind_of(record, limits, own_limit)
    return Try(
        cell=cell,
        number=number,
        kind=kind,
        why=why,
        tokens=0 if record.tokens is None else record.tokens.total,
        cost=cost_of(record, None if agent.prices is None else agent.prices.told()),
        record=record,
    )


def kind_of(record: EpisodeRecord, limits: Limits, own_limit: bool) -> tuple[TryKind, str]:
    """How an episode ended, and why if it says nothing of the agent."""
    if record.outcome is Outcome.SKIP:
        return TryKind.SKIPPED, record.reason
    if record.outcome is Outcome.ERROR:
        return TryKind.WORLD, record.reason
    if record.stopped.startswith(_RAISED) and not _all_in(record):
        kind = TryKind.LIMITED if _LIMITED.search(record.stopped) else TryKind.FAILED
        return kind, record.stopped
    if not own_limit and "tokens" in record.stopped:
        return TryKind.BUDGET, record.stopped
    if "wall-clock" in record.stopped:
        last_s = max((call.wall_s + call.took_s for call in record.transcript), default=0.0)
        if limits.wall_s - last_s >= _IDLE * limits.wall_s:
            return TryKind.HUNG, f"no sign of it for {limits.wall_s - last_s:.0f} s"
    return TryKind.GRADED, ""


def _all_in(record: EpisodeRecord) -> bool:
    """Whether what an adapter raised came after all that is judged had been handed in."""
    judged = [stage for stage in (record.diagnosis, record.mitigation) if stage is not None]
    return bool(judged) and all(stage.submitted_at_s is not None for stage in judged)
