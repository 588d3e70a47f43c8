"""Episodes as trajectories in ATIF, the Agent Trajectory Interchange Format, version 1.8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_kubernetes.tool_classes import tool_class

from sregym_core import __version__

if TYPE_CHECKING:
    from sregym_core.model import EpisodeRecord, ToolCall

VERSION = "ATIF-v1.8"


def trajectory(record: EpisodeRecord) -> dict[str, Any]:
    """A record as a trajectory: the instruction, then one step for each tool call.

    What an agent said before a call stands in its step, as far as its adapter told; what it said
    after the last is a step of its own. Times are seconds of the episode, in `extra`: a simulated
    clock has no date that means anything elsewhere.
    """
    told = {"step_id": 1, "source": "user", "message": record.instruction}
    calls = [_step(number, call) for number, call in enumerate(record.transcript, 2)]
    if record.last_words:
        number = len(calls) + 2
        calls.append({"step_id": number, "source": "agent", "message": record.last_words})
    totals: dict[str, Any] = {"total_steps": len(calls) + 1}
    if record.tokens is not None:
        totals["total_prompt_tokens"] = record.tokens.prompt
        totals["total_completion_tokens"] = record.tokens.completion
        totals["total_cached_tokens"] = record.tokens.cached
    # An agent that tells no version of its own is part of this package.
    agent = {"name": record.agent, "version": record.agent_version or __version__}
    if record.model:
        agent["model_name"] = record.model
    return {
        "schema_version": VERSION,
        "session_id": record.episode,
        "agent": agent,
        "steps": [told, *calls],
        "final_metrics": totals,
        "extra": {
            "problem": record.problem,
            "seed": record.seed,
            "attempt": record.attempt,
            "mode": record.mode,
            "cluster": record.cluster,
            "outcome": str(record.outcome),
            "reason": record.reason,
        },
    }


def _step(number: int, call: ToolCall) -> dict[str, Any]:
    name = f"call_{number - 1}"
    result = {
        "source_call_id": name,
        "content": call.output,
        "extra": {"ok": call.ok, "truncated": call.truncated, "blake2b": call.digest},
    }
    step: dict[str, Any] = {
        "step_id": number,
        "source": "agent",
        "message": call.said,
        "tool_calls": [
            {"tool_call_id": name, "function_name": call.tool, "arguments": call.arguments}
        ],
        "observation": {"results": [result]},
        "extra": {
            "at_s": call.at_s,
            "wall_s": call.wall_s,
            "class": str(tool_class(call)),
            "own": call.own,
        },
    }
    if call.tokens is not None:
        step["metrics"] = {
            "prompt_tokens": call.tokens.prompt,
            "completion_tokens": call.tokens.completion,
            "cached_tokens": call.tokens.cached,
        }
    return step
