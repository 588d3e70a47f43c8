"""The solver: a model with the tools of the incident, until everything is handed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import solver
from inspect_ai.util import sandbox

from sregym_inspect.sandbox import IncidentSandbox
from sregym_inspect.tools import tools_of

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState

_GO_ON = "Go on with a call of a tool; submit when you are done. `status` says what comes next."


@solver
def responder() -> Solver:
    """Let the model call tools; who answers without a call is asked to go on.

    It ends with the last submission, with the incident's budget of calls, or with a limit of the
    task. Any other solver or agent works as well: `tools_of` gives it the tools.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        rollout = sandbox().as_type(IncidentSandbox).rollout
        if rollout is None:
            return state
        state.tools = tools_of(rollout)
        while not rollout.done and not state.completed:
            state = await generate(state, tool_calls="single")
            if not state.output.message.tool_calls:
                state.messages.append(ChatMessageUser(content=_GO_ON))
        return state

    return solve
