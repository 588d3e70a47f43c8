"""The client of a server of SREGym."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from sregym_openenv.models import SregymAction, SregymObservation, SregymState


class SregymEnv(EnvClient[SregymAction, SregymObservation, SregymState]):
    """A session with a server: `reset(split=..., index=...)`, `step(SregymAction(command=...))`."""

    def _step_payload(self, action: SregymAction) -> dict[str, Any]:
        return {"command": action.command}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[SregymObservation]:
        told = {
            name: payload[name]
            for name in ("done", "reward", "metadata")
            if payload.get(name) is not None
        }
        observation = SregymObservation.model_validate({**payload.get("observation", {}), **told})
        return StepResult(
            observation=observation,
            reward=payload.get("reward"),
            done=payload.get("done", False),
            metadata=payload.get("metadata"),
        )

    def _parse_state(self, payload: dict[str, Any]) -> SregymState:
        state: SregymState = SregymState.model_validate(payload)
        return state
