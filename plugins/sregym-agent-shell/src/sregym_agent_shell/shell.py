"""The agent `shell`: a command of yours, with KUBECONFIG and the instruction in its environment."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.command_line import attend
from sregym_agents.isolation import walls_of
from sregym_agents.isolation.sandbox import OPTIONS
from sregym_agents.outside import opened
from sregym_core.errors import UsageError
from sregym_core.interfaces import Agent, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Session


class Shell(Agent):
    """Runs `--agent-option command=...` through `sh -c`.

    The command's environment has `KUBECONFIG`, `SREGYM_EPISODE` (for `sregym submit`),
    `SREGYM_INSTRUCTION` and `SREGYM_MODE`; what else is there is the user's own, without variables of the harness.
    With `--agent-option isolation=bubblewrap` it sees a system of its own instead (`sregym_agents.isolation`).
    Its output goes to `agent.log` in the session's folder. When it ends, the episode is graded as
    it stands; when the budget is used up, it is ended with all its children.
    """

    name: ClassVar[str] = "shell"
    served: ClassVar[bool] = True
    accepts: ClassVar[tuple[str, ...] | None] = ("command", *OPTIONS)

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._command = self.options.get("command", "")
        if not self._command:
            msg = "agent 'shell' needs a command: --agent-option command='./my-agent'"
            raise UsageError(msg)
        self._walls = walls_of(self.name, self.options)

    def run(self, session: Session) -> None:
        """Run the command and take its submissions."""
        with opened(session) as gateway:
            access = session.access()
            log = access.folder / "agent.log"
            with self._walls.around(access, gateway) as place, log.open("wb") as output:
                told = {
                    **place.pointing,
                    "SREGYM_INSTRUCTION": session.instruction,
                    "SREGYM_MODE": session.task.mode,
                }
                start = place.start(("/bin/sh", "-c", self._command), told)
                exit_code = attend(session, gateway, start, output)
        if exit_code != 0 and session.stage is not Stage.DONE:
            msg = f"command {shlex.quote(self._command)} ended with exit code {exit_code}; its output is in {log}"
            raise RuntimeError(msg)
