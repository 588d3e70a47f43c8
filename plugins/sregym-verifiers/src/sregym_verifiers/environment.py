"""How an episode is played: the policy types an action, the incident answers as its user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import verifiers.v1 as vf
from anyio.to_thread import run_sync
from sregym_core.errors import WorldError

if TYPE_CHECKING:
    from sregym_rollouts import Rollout

    from sregym_verifiers.taskset import SregymTask


class SregymEnvConfig(vf.EnvConfig):
    """The environment's one seat.

    Attributes:
        responder: The policy: who is on call. It only talks, so nothing runs on its behalf.
    """

    responder: vf.AgentConfig = vf.AgentConfig.model_validate(
        {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}
    )


class SregymEnv(vf.Env[SregymEnvConfig]):
    """The incident plays the user, beside the harness: nothing of it is where the policy is.

    The reward `verdict` is recorded when the exchange is over, with `diagnosis`, `mitigation`,
    `steps` and `seconds` as metrics. A world that was not right is an error of the rollout, which
    is tried again or left out, and never a zero.
    """

    async def run(self, task: SregymTask, agents: vf.Agents) -> None:
        """Play one episode."""
        rollout = await run_sync(task.rollouts.start, task.task)
        try:
            async with agents.responder.interaction(task) as interaction:
                segment = await interaction.turn()
                while not segment.terminated:
                    step = await run_sync(rollout.act, segment.last_reply)
                    if step.done:
                        break
                    segment = await interaction.turn(step.text)
            await self._grade(rollout, interaction.trace)
        finally:
            rollout.drop()

    async def _grade(self, rollout: Rollout, trace: vf.Trace) -> None:
        result = await run_sync(rollout.finish)
        if result.reward is None:
            raise WorldError(result.reason)
        trace.record_reward("verdict", result.reward, 1.0)
        trace.record_metrics(dict(result.metrics))
        trace.info["outcome"] = result.outcome
        trace.info["reason"] = result.reason
