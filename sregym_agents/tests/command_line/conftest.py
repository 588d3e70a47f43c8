"""A vendor that nobody knows, whose program is what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

import pytest
from sregym_agents.command_line import (
    SERVER,
    AgentEvent,
    AgentMessage,
    Assignment,
    Call,
    CommandLineAgent,
    Event,
    EventReader,
    Failed,
    Introduced,
    Meter,
    OwnCallEnded,
    OwnCallStarted,
    Troubled,
    Vendor,
)
from sregym_agents.testing import write_stand_in
from sregym_agents.testing.sessions import folder, new_session, provision
from sregym_core.model import Tokens

__all__ = ["folder", "new_session", "provision"]

# What the program reads first, and what it finds in its environment.
HEAD = """
settings = json.load(open(os.environ["HOME"] + "/settings.json"))
def use(name, **arguments):
    return tool(settings["url"], {"Authorization": settings["token"]}, name, **arguments)
"""


class AcmeReader(EventReader):
    kept: ClassVar[str] = "kept/*.jsonl"

    def __init__(self) -> None:
        self._meter = Meter()

    def read(self, event: Event) -> Iterable[AgentEvent]:
        match event:
            case {"version": str(version), "model": str(model)}:
                yield Introduced(version, model)
            case {"said": str(text)}:
                yield AgentMessage(text)
            case {"began": str(call), "tool": str(tool), "arguments": dict(arguments)}:
                yield OwnCallStarted(call, tool, arguments)
            case {"ended": str(call), "output": str(output), "ok": bool(ok)}:
                yield OwnCallEnded(call, output, ok)
            case {"trouble": str(reason)}:
                yield Troubled(reason)
            case {"failed": str(reason)}:
                yield Failed(reason)

    def read_kept(self, event: Event) -> Iterable[AgentEvent]:
        prompt, completion, cached = event["used"]
        used = Tokens(prompt=prompt, completion=completion, cached=cached)
        yield from self._meter.total(used)

    def close(self) -> Iterable[AgentEvent]:
        yield AgentMessage("(end)")


class Acme(CommandLineAgent):
    name: ClassVar[str] = "acme"
    vendor: ClassVar[Vendor] = Vendor(
        program="acme-agent",
        package="@acme/agent",
        keys=("ACME_KEY", "ACME_LOGIN"),
        base_url="https://models.acme.example",
        base_url_variable="ACME_URL",
    )

    def call(self, assignment: Assignment) -> Call:
        settings = {"url": assignment.mcp, "token": f"Bearer {assignment.token}"}
        where = assignment.write("settings.json", json.dumps(settings))
        variables = {"ACME_SETTINGS": where, "ACME_SERVER": SERVER, "ACME_AT": assignment.base_url}
        words = ("--model", assignment.model) if assignment.model else ()
        return Call(words, ("--", assignment.prompt), variables)

    def reader(self) -> AcmeReader:
        return AcmeReader()


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Acme]:
    """Makes the agent, with a program of this body."""

    def make(body: str = "", **options: str) -> Acme:
        program = write_stand_in(tmp_path / "bin" / "acme-agent", HEAD + body)
        monkeypatch.setenv("ACME_KEY", "of acme")
        return Acme({"program": str(program), **options})

    return make
