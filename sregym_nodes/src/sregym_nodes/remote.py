"""The agent on a node, driven over any way to run commands there as root."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sregym_nodes.bundle import FOLDER, bundle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEASE_S = 900.0
# Neither variables of the environment nor packages of the node matter to it.
_PYTHON = ("python3", "-I", "-S")
_LOOK = """
import os, sys
print(sys.version_info >= (3, 9))
print(os.path.isdir(sys.argv[1]))
"""
# Unpacked, since Python then keeps what it has compiled; whole at once, since others may run it.
_PUT = """
import base64, io, os, sys, tempfile, zipfile
path = sys.argv[1]
os.makedirs(os.path.dirname(path), 0o700, True)
part = tempfile.mkdtemp(dir=os.path.dirname(path))
zipfile.ZipFile(io.BytesIO(base64.b64decode(sys.stdin.read()))).extractall(part)
os.replace(part, path)
"""


class AgentError(Exception):
    """The agent refused, or could not be run; the text says why and what to do about it."""


class Ran(Protocol):
    """What a command came to."""

    @property
    def exit_code(self) -> int:
        """Zero when it went well."""

    @property
    def stdout(self) -> str:
        """What it printed."""

    @property
    def stderr(self) -> str:
        """What it complained of."""


class Transport(Protocol):
    """Runs a command on the node, as root, to its end; no shell is between."""

    def __call__(self, argv: Sequence[str], stdin: str = "") -> Ran:
        """Run it with this on its standard input."""


@dataclass(frozen=True)
class Applied:
    """What stands.

    Attributes:
        backend: By which back end.
        effect: What was seen of it.
        refused: Why those that are preferred could not.
    """

    backend: str
    effect: Mapping[str, Any]
    refused: Mapping[str, str]


class NodeAgent:
    """The agent on one node.

    Args:
        node: Its name, for errors.
        way: To the node.
        owner: Who changes: the same word for all that belong together, which says nothing of whom.
        lease_s: How long changes last when they are not renewed.
        folder: Where the agent is put and keeps its journal.
    """

    def __init__(
        self,
        node: str,
        way: Transport,
        owner: str,
        lease_s: float = LEASE_S,
        folder: str = FOLDER,
    ) -> None:
        self.node = node
        self._way = way
        self._owner = owner
        self._lease_s = lease_s
        self._bundle = bundle()
        self._path = f"{folder}/lib-{self._bundle.digest[:8]}"
        self._sent = False

    def apply(self, ask: Mapping[str, Any], backend: str = "auto") -> Applied:
        """Bring about what is requested; what stands so already is left alone.

        Raises:
            AgentError: It cannot be done, or has no effect; nothing is changed then.
        """
        given = {"ask": ask, "owner": self._owner, "lease_s": self._lease_s, "backend": backend}
        said = self.ask("apply", given)
        return Applied(said["backend"], said["effect"], said.get("refused") or {})

    def undo(self, key: str = "") -> tuple[str, ...]:
        """Undo one change, or all of this owner; gives the keys of those that were there."""
        named = {"owner": self._owner, **({"key": key} if key else {})}
        return tuple(self.ask("undo", named)["undone"])

    def renew(self) -> None:
        """Let all changes of this owner last for a whole lease from now."""
        self.ask("renew", {"owner": self._owner, "lease_s": self._lease_s})

    def changes(self) -> tuple[Mapping[str, Any], ...]:
        """All that is changed on the node, by any owner: `key`, `ask`, `stands`, `backend`, `effect` ..."""
        return tuple(self.ask("list", {})["changes"])

    def examine(self, asks: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, str], ...]:
        """For each and each back end: empty when a trial worked, else why not."""
        return tuple(self.ask("examine", {"asks": list(asks)})["answers"])

    def facts(self) -> Mapping[str, Any]:
        """What the node is: kernel, version of Python and of control groups."""
        found: Mapping[str, Any] = self.ask("list", {})["facts"]
        return found

    def ask(self, verb: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Let the agent do one thing.

        Raises:
            AgentError: It refused, or could not be run.
        """
        self._send()
        done = self._way((*_PYTHON, self._path, verb), json.dumps(given))
        try:
            said: Mapping[str, Any] = json.loads(done.stdout)
        except ValueError:
            seen = (done.stderr or done.stdout).strip()[-2000:]
            msg = f"node {self.node!r}: {verb} ended with {done.exit_code} and no answer: {seen}"
            raise AgentError(msg) from None
        if "error" in said:
            msg = f"node {self.node!r}: {said['error']}"
            raise AgentError(msg)
        return said

    def _send(self) -> None:
        """Put the agent there, unless the very same is there."""
        if self._sent:
            return
        done = self._way((*_PYTHON, "-c", _LOOK, self._path))
        first, _, rest = done.stdout.partition("\n")
        if first != "True":
            seen = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing was said"]
            msg = (
                f"node {self.node!r} has no python3 of version 3.9 or newer ({seen[0]}); install it "
                "there, or take a node that has one"
            )
            raise AgentError(msg)
        if rest.strip() != "True":
            text = base64.b64encode(self._bundle.content).decode()
            done = self._way((*_PYTHON, "-c", _PUT, self._path), text)
        if done.exit_code:
            seen = done.stderr.strip().splitlines()[-1:] or ["nothing was said"]
            msg = f"node {self.node!r}: the agent could not be put at {self._path}: {seen[0]}"
            raise AgentError(msg)
        self._sent = True
