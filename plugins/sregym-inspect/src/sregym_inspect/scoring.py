"""The scorer: what the oracles of the problem say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio.to_thread import run_sync
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.util import sandbox

from sregym_inspect.sandbox import IncidentSandbox

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer, Target
    from inspect_ai.solver import TaskState


@scorer(metrics={"*": [mean(), stderr()]})
def verdict() -> Scorer:
    """Grade the incident as the model left it: `reward`, `diagnosis`, `mitigation`, `steps` ...

    A world that was not right gives no score: it counts neither for nor against the model.
    """

    async def score(state: TaskState, target: Target) -> Score:
        place = sandbox().as_type(IncidentSandbox)
        if place.rollout is None:
            return Score.unscored(reason=place.trouble)
        result = await run_sync(place.rollout.finish)
        if result.reward is None:
            return Score.unscored(reason=result.reason)
        submitted = [call.output for call in result.record.transcript if call.tool == "submit"]
        return Score(
            value={"reward": result.reward, **result.metrics},
            explanation=result.reason,
            metadata={"outcome": result.outcome, "submissions": len(submitted)},
        )

    return score
