"""The tools of an incident as tools of Inspect."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from inspect_ai.tool import ToolDef, ToolError, ToolParams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspect_ai.tool import Tool
    from sregym_rollouts import Rollout


def tools_of(rollout: Rollout) -> list[Tool]:
    """Tools for a solver, with the names and schemas that every adapter has.

    A call that was refused or failed is a `ToolError`, whose text a model reads; after the last
    submission there is nothing left to call.
    """
    return [_tool(rollout, one) for one in rollout.description.tools]


def _tool(rollout: Rollout, told: Mapping[str, Any]) -> Tool:
    name = str(told["name"])

    async def execute(**arguments: Any) -> str:
        if rollout.done:
            raise ToolError("the episode is over")
        given = {key: value for key, value in arguments.items() if value is not None}
        step = await run_sync(partial(rollout.call, name, given))
        if not step.ok:
            raise ToolError(step.text)
        return step.text

    return ToolDef(
        execute,
        name=name,
        description=str(told["description"]),
        parameters=ToolParams.model_validate(told["parameters"]),
        parallel=False,
        max_output=0,  # answers come in pages, which say how to read on
    ).as_tool()
