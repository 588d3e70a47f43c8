"""What an episode is worth to a trainer, put into its record."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_core.error_location import must_propagate
from sregym_core.interfaces import RewardFacts
from sregym_core.model import EpisodeRecord, Outcome, RewardRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import Reward
    from sregym_core.model import GroundTruth

# Episodes that say nothing of their agent.
_WORTHLESS = (Outcome.ERROR, Outcome.SKIP)


def rewarded(
    record: EpisodeRecord,
    reward: Reward | None,
    ground_truths: Callable[[], Sequence[GroundTruth]],
    blamed: Callable[[BaseException], str],
) -> EpisodeRecord:
    """A record with its reward, where one was requested and the world was right.

    Args:
        record: The episode, graded.
        reward: What was requested; None for none.
        ground_truths: Gives the ground truth of each fault.
        blamed: Attributes an exception to its plugin.

    Returns:
        The record. A reward that raises, or that is no number, becomes a warning in it.
    """
    if reward is None or record.outcome in _WORTHLESS:
        return record
    try:
        terms = dict(reward.terms(RewardFacts(record, tuple(ground_truths()))))
        total = _finite(reward, terms)
    except BaseException as error:
        if must_propagate(error):
            raise
        warning = f"the reward could not be worked out: {blamed(error)}"
        return record.model_copy(update={"warnings": (*record.warnings, warning)})
    held = min(max(total, reward.low), reward.high)
    found = RewardRecord(name=reward.name, total=round(held, 6), terms=terms)
    return record.model_copy(update={"reward": found})


def _finite(reward: Reward, terms: Mapping[str, float]) -> float:
    total = sum(terms.values())
    if not math.isfinite(total):
        msg = f"reward {reward.name!r} is no finite number: {terms}"
        raise ValueError(msg)
    return total
