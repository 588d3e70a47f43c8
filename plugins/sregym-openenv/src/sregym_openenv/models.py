"""What goes over the wire between client and server."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class SregymAction(Action):
    """One action, as a policy types it."""

    command: str = Field(
        description="A tool and its argument, e.g. 'kubectl get pods -n shop', or JSON with both"
    )


class SregymObservation(Observation):
    """What came back.

    `reward` is 0 until the end, then what the verdict is worth; None where the world was not right
    and the episode counts for nothing. `metadata` has `outcome` and `metrics` at the end.
    """

    text: str = Field(default="", description="For the policy to read")
    ok: bool = Field(default=True, description="False when the call was refused or failed")
    at_s: float = Field(default=0.0, description="Seconds on the episode's clock")
    tools: list[dict[str, Any]] = Field(
        default_factory=list,
        description="On reset: the tools, as the chat protocol of OpenAI wants them told",
    )


class SregymState(State):
    """Where a session stands. Names neither problem nor defect: agents may ask for it."""

    split: str = Field(default="", description="Split of the task that is played")
    index: int = Field(default=-1, description="Its number in the split; -1 before a reset")
    done: bool = Field(default=False, description="Whether the episode is over")
