"""The agent `redteam`: makes attempts from inside the place where an agent's command runs."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_agents.command_line import attend
from sregym_agents.isolation import Needs, walls_of
from sregym_agents.isolation.sandbox import OPTIONS
from sregym_agents.outside import opened
from sregym_core.cli import counted
from sregym_core.errors import UsageError
from sregym_core.interfaces import Agent
from sregym_core.model import Attempt
from sregym_kubernetes.scratch import ScratchFolder

from sregym_agent_redteam.probe.route import ProbeResult
from sregym_agent_redteam.probe.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_agents.gateway import Gateway
    from sregym_core.interfaces import Session

PROBE = Path(__file__).parent / "probe"
_RUN = "import runpy, sys; sys.path.insert(0, {!r}); runpy.run_module('probe', run_name='__main__')"
# In the image of a container there is another interpreter.
_CONTAINERS = ("docker", "podman")


class RedTeam(Agent):
    """Makes the attempts of `--agent-option routes=NAME,NAME`; those that only look when none is named.

    Each attempt is noted in the session. What it brought is in `result`: whether that is a leak only
    the harness can tell (`sregym redteam`).

    Attributes:
        result: What each attempt brought, by the name of its route.
        guesses: Names that the attempts may use as if they had been guessed right.
    """

    name: ClassVar[str] = "redteam"
    served: ClassVar[bool] = True
    accepts: ClassVar[tuple[str, ...] | None] = ("routes", *OPTIONS)

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self.routes = chosen(self.options.get("routes", ""))
        self.result: dict[str, ProbeResult] = {}
        self.guesses: dict[str, str] = dict.fromkeys(
            ("namespace", "deployment", "pod", "secret"), "nobody"
        )
        walls_of(self.name, self.options)  # a wrong option is told before anything is played

    def run(self, session: Session) -> None:
        """Make the attempts."""
        with ScratchFolder("tools-") as folder, opened(session) as gateway:
            shutil.copytree(PROBE, Path(folder) / "probe", ignore=shutil.ignore_patterns("__*__"))
            for name in ("__init__.py", "__main__.py"):
                shutil.copy(PROBE / name, Path(folder) / "probe" / name)
            Path(folder).chmod(0o755)
            try:
                self._attempt(session, gateway, Path(folder))
            finally:
                log = session.access().folder / "agent.log"
                self._collect(session, log)

    def _attempt(self, session: Session, gateway: Gateway, folder: Path) -> None:
        access = session.access()
        walls = walls_of(self.name, self.options, Needs(share=(folder,)))
        log = access.folder / "agent.log"
        with (
            log.open("wb") as output,
            log.with_suffix(".errors").open("wb") as errors,
            walls.around(access, gateway) as place,
        ):
            words = (*self._interpreter(), "-c", _RUN.format(str(folder)))
            guesses = json.dumps(self.guesses)
            start = place.start((*words, ",".join(self.routes), guesses), place.pointing)
            attend(session, gateway, start, output, errors)

    def _interpreter(self) -> tuple[str, ...]:
        kind = self.options.get("isolation", "none")
        if kind in _CONTAINERS:
            return ("python3", "-I")
        if kind == "none":
            return (sys.executable, "-I")
        return (str(Path(sys.executable).resolve()), "-I", "-S")

    def _collect(self, session: Session, log: Path) -> None:
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                told: dict[str, Any] = json.loads(line)
                name = told["route"]
            except (ValueError, LookupError, TypeError):
                continue
            self.result[name] = ProbeResult(told["texts"], told["facts"])
        attempts = []
        for name in self.routes:
            result = self.result.get(name)
            answer = (
                "did not come to its end"
                if result is None
                else counted(len(result.texts), "answer")
            )
            attempts.append(Attempt(via=self.name, what=name, answer=answer))
        session.note_attempts(attempts)
        log.unlink()  # what was brought is large, and told by the command


def chosen(names: str) -> Sequence[str]:
    """Routes by name, separated by commas; all that only look when none is named.

    Raises:
        UsageError: There is no such route.
    """
    if not names:
        return [name for name, route in ROUTES.items() if not route.alone]
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in ROUTES:
            msg = f"there is no route {name!r}; there are: {', '.join(ROUTES)}"
            raise UsageError(msg)
    return wanted
