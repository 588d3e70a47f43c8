"""The agent that is a vendor's program: started with the session's tools, listened to, ended.

What differs from vendor to vendor is the class's own: how the program is configured and started, and
what its events mean.
"""

from __future__ import annotations

import os
import shlex
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from sregym_core.errors import BudgetExceededError, UsageError
from sregym_core.interfaces import Access, Agent, Stage

from sregym_agents.command_line.listening import Listener
from sregym_agents.command_line.process import attend
from sregym_agents.command_line.program import find_program
from sregym_agents.command_line.tail import last_line
from sregym_agents.isolation import Needs, walls_of
from sregym_agents.isolation.sandbox import OPTIONS as WALLS_OPTIONS
from sregym_agents.outside import opened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sregym_core.interfaces import Session

    from sregym_agents.command_line.agent_events import EventReader
    from sregym_agents.gateway import Gateway
    from sregym_agents.isolation import Place

# Under which programs list the session's tools; nothing in it tells what the session is.
SERVER = "operations"
OPTIONS = (
    *("model", "base_url", "program", "arguments", "submit_final_message"),
    *WALLS_OPTIONS,
)
# A rollout or a wait may take its time; the session has limits of its own.
TOOL_TIMEOUT_S = 86_400
LOOPBACK = "127.0.0.1,localhost"
_ENTER = 'cd "$0" && exec "$@"'
_PROMPT = """\
{instruction}
All your tools are those of the MCP server {server}. Hand in with its tool submit, each thing once.
Do not end before all that is asked for is handed in.
"""


@dataclass(frozen=True)
class Vendor:
    """The vendor's command-line program that is run.

    Attributes:
        program: Name of the program.
        package: The npm package that brings it.
        keys: Variables with a key of the provider's; one of them is needed.
        base_url: Address of the provider.
        base_url_variable: The user's variable that names another.
    """

    program: str
    package: str
    keys: tuple[str, ...]
    base_url: str
    base_url_variable: str


@dataclass(frozen=True)
class Assignment:
    """What a program is started for.

    Attributes:
        prompt: Its instruction.
        mcp: Address of the session's MCP server.
        token: What it requires, as a bearer token.
        model: Which model the user requested; empty for the program's own choice.
        base_url: Where the provider is, when it is not where the program would look; else empty.
        key: The variable with the provider's key.
        home: The program's home, where it is configured.
        home_inside: The same as the program sees it.
    """

    prompt: str
    mcp: str
    token: str
    model: str
    base_url: str
    key: str
    home: Path
    home_inside: Path

    def write(self, name: str, content: str) -> str:
        """Write a file into the home; its path as the program sees it."""
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(content, encoding="utf-8")
        return str(self.home_inside / name)


@dataclass(frozen=True)
class Call:
    """How to start the program for an assignment.

    Attributes:
        words: What follows its name; the user's own arguments come behind.
        prompt: The last arguments: its instruction.
        variables: Its environment, besides what every program gets.
    """

    words: tuple[str, ...]
    prompt: tuple[str, ...]
    variables: Mapping[str, str]


class CommandLineAgent(Agent):
    """Runs a vendor's program in a home of its own, with the session's tools and no others.

    Its output goes to `agent.jsonl` in the session's folder, its standard error to `agent.log`.

    Raises:
        UsageError: The program is not there, no key is, or an option is of no use.
    """

    served: ClassVar[bool] = True
    accepts: ClassVar[tuple[str, ...] | None] = OPTIONS
    vendor: ClassVar[Vendor]

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        vendor = self.vendor
        self._program = find_program(
            self.name, vendor.program, vendor.package, self.options.get("program", "")
        )
        self._final = self.options.get("submit_final_message", "false")
        if self._final not in ("true", "false"):
            msg = f"agent {self.name!r}, option 'submit_final_message': {self._final!r} is neither true nor false"
            raise UsageError(msg)
        self._more = self._words("arguments")
        self._base_url = self.options.get("base_url") or os.environ.get(
            vendor.base_url_variable, ""
        )
        self._key = self._find_key()
        needs = Needs(
            share=self._program.share,
            reach=(_address(self._base_url or vendor.base_url),),
            variables=vendor.keys,
        )
        self._walls = walls_of(self.name, self.options, needs)

    @abstractmethod
    def call(self, assignment: Assignment) -> Call:
        """Configure the program in its home and say how to start it."""

    @abstractmethod
    def reader(self) -> EventReader:
        """What understands one run of the program."""

    def run(self, session: Session) -> None:
        """Run the program and take its submissions."""
        session.note_agent(self._program.version, self.options.get("model", ""))
        with opened(session) as gateway:
            folder = session.access().folder
            events, log = folder / Access.EVENTS, folder / Access.LOG
            with self._walls.around(session.access(), gateway) as place:
                home = place.work / "home"
                listener = Listener(session, self.reader(), events, home)
                exit_code = self._run(session, gateway, place, listener, events, log)
        self._conclude(session, listener, exit_code, log)

    def _run(
        self,
        session: Session,
        gateway: Gateway,
        place: Place,
        listener: Listener,
        events: Path,
        log: Path,
    ) -> int:
        for name in ("home", "workspace"):
            (place.work / name).mkdir()
        assignment = Assignment(
            prompt=_PROMPT.format(instruction=session.instruction, server=SERVER),
            mcp=gateway.endpoints["mcp"],
            token=gateway.token,
            model=self.options.get("model", ""),
            base_url=self._base_url,
            key=self._key,
            home=place.work / "home",
            home_inside=place.inside / "home",
        )
        call = self.call(assignment)
        words = (*self._program.argv, *call.words, *self._more, *call.prompt)
        told = {
            "HOME": str(assignment.home_inside),
            "KUBECONFIG": place.pointing["KUBECONFIG"],
            # The session is on this machine, whatever the way to the provider is.
            "NO_PROXY": ",".join(filter(None, (os.environ.get("NO_PROXY"), LOOPBACK))),
            **({} if os.environ.get(self._key) else {self._key: "none"}),
            **call.variables,
        }
        enter = ("/bin/sh", "-c", _ENTER, str(place.inside / "workspace"))
        start = place.start((*enter, *words), told)
        with events.open("wb") as output, log.open("wb") as errors:
            try:
                return attend(session, gateway, start, output, errors, listener.look)
            except BudgetExceededError as error:
                if not listener.trouble:
                    raise
                msg = f"{error}; {self.vendor.program} was trying again: {listener.trouble}"
                raise BudgetExceededError(msg) from error
            finally:
                listener.close()
                if listener.complaint:
                    errors.write(f"{listener.complaint}\n".encode())

    def _conclude(self, session: Session, listener: Listener, exit_code: int, log: Path) -> None:
        if _done(session):
            return
        name = self.vendor.program
        where = f"what it wrote is in {log} and {Access.EVENTS} beside it"
        if exit_code != 0 or listener.failure:
            reason = listener.failure or last_line(log)
            because = f": {reason}" if reason else ""
            msg = f"{name} ended with exit code {exit_code}{because}; {where}"
            raise RuntimeError(msg)
        if not listener.understood:
            msg = f"{name} ended without an event that is understood, perhaps a version with others; {where}"
            raise RuntimeError(msg)
        if self._final == "true" and listener.last_words:
            while session.submit(listener.last_words).accepted and not _done(session):
                pass

    def _words(self, option: str) -> tuple[str, ...]:
        text = self.options.get(option, "")
        try:
            return tuple(shlex.split(text))
        except ValueError as error:
            msg = f"agent {self.name!r}, option {option!r}: {error} in {text!r}"
            raise UsageError(msg) from error

    def _find_key(self) -> str:
        """The variable with the provider's key."""
        for name in self.vendor.keys:
            if os.environ.get(name):
                return name
        # Local servers want no key, the programs want one; other ways to log in are the user's.
        local = urlsplit(self._base_url).hostname in ("127.0.0.1", "localhost", "::1")
        if not local and not self.options.get("pass_env"):
            names = " or ".join(self.vendor.keys)
            msg = f"agent {self.name!r} needs a key of its provider: set {names}, or name what {self.vendor.program} logs in with in --agent-option pass_env=NAME,NAME"
            raise UsageError(msg)
        return self.vendor.keys[0]


def _done(session: Session) -> bool:
    return session.stage is Stage.DONE


def _address(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (80 if parts.scheme == 'http' else 443)}"
