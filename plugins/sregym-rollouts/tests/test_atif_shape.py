"""Trajectories have the published shape of ATIF 1.8: its fields and no others, and its rules."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from sregym_core.model import EpisodeRecord, Outcome, Tokens, ToolCall
from sregym_rollouts import trajectory


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Call(Shape):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class Result(Shape):
    source_call_id: str | None = None
    content: str | None = None
    extra: dict[str, Any] | None = None


class Observation(Shape):
    results: list[Result]


class Metrics(Shape):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    extra: dict[str, Any] | None = None


class Step(Shape):
    step_id: int = Field(ge=1)
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    reasoning_content: str | None = None
    message: str
    tool_calls: list[Call] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _only_agents_act(self) -> Step:
        if self.source != "agent":
            assert self.tool_calls is self.metrics is self.reasoning_content is None
        known = {call.tool_call_id for call in self.tool_calls or ()}
        for result in self.observation.results if self.observation else ():
            assert result.source_call_id is None or result.source_call_id in known
        return self


class AgentShape(Shape):
    name: str
    version: str
    model_name: str | None = None
    extra: dict[str, Any] | None = None


class Totals(Shape):
    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = Field(default=None, ge=0)
    extra: dict[str, Any] | None = None


class Trajectory(Shape):
    schema_version: Literal["ATIF-v1.8"]
    session_id: str
    agent: AgentShape
    steps: list[Step] = Field(min_length=1)
    notes: str | None = None
    final_metrics: Totals | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _steps_are_numbered(self) -> Trajectory:
        assert [step.step_id for step in self.steps] == list(range(1, len(self.steps) + 1))
        return self


def record(**more: Any) -> EpisodeRecord:
    return EpisodeRecord(
        episode="e0001",
        problem="p",
        agent="brief",
        seed=0,
        cluster="memory",
        outcome=Outcome.FAIL,
        instruction="Look.",
        **more,
    )


CALLS = (
    ToolCall(at_s=1.0, tool="alerts", output="none", said="I look.", tokens=Tokens(prompt=5)),
    ToolCall(at_s=2.0, tool="bash", arguments={"command": "ls"}, own=True, ok=False),
)


@pytest.mark.parametrize(
    "played",
    [
        record(),
        record(transcript=CALLS, tokens=Tokens(prompt=5, completion=1, cached=2)),
        record(transcript=CALLS, last_words="Done.", model="small", agent_version="2"),
    ],
)
def test_the_shape(played: EpisodeRecord) -> None:
    made = trajectory(played)
    read = Trajectory.model_validate(made)
    assert read.model_dump(exclude_none=True) == made


def test_the_shape_finds_what_is_wrong() -> None:
    made = trajectory(record(transcript=CALLS))
    made["steps"][1]["observation"]["results"][0]["source_call_id"] = "call_9"
    with pytest.raises(ValidationError):
        Trajectory.model_validate(made)
