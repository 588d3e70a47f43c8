"""Run `sregym` in a folder, a home and an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.errors import ExitCode

from sregym_testing.fork_server import ForkServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

# Nothing else of the caller's environment reaches the command.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "COVERAGE_PROCESS_START")


@dataclass(frozen=True)
class RunOutcome:
    """Result of a command. Its repr has all of it, so failing asserts show it.

    Attributes:
        command: Words.
        folder: Where it ran.
        exit_code: Its exit code.
        out: Standard output.
        err: Standard error.
    """

    command: tuple[str, ...]
    folder: Path
    exit_code: int
    out: str
    err: str

    def assert_success(self) -> RunOutcome:
        """Fail, showing everything, unless the exit code is 0."""
        return self.assert_exit(ExitCode.DONE)

    def assert_exit(self, code: ExitCode) -> RunOutcome:
        """Fail, showing everything, unless the exit code is this one."""
        if self.exit_code != code:
            # Raised by hand: an assert would be rewritten, which folds the lines of the output.
            raise AssertionError(f"expected {code!r}\n{self!r}")
        return self

    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    def __repr__(self) -> str:
        return (
            f"exit code: {self.exit_code}\ncommand: {' '.join(self.command)}\nfolder: {self.folder}\n"
            f"--- standard output\n{self.out}--- standard error\n{self.err}---"
        )


@dataclass
class SregymProject:
    """A folder with files in it, where commands run as a newcomer's would.

    Attributes:
        folder: Where commands run.
        environment: All variables they see.
        server: What forks their processes, which spares each of them its imports; without one, and with
            variables for the interpreter, each is an interpreter of its own.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    server: ForkServer | None = field(default=None, repr=False)

    def command(self, *arguments: str) -> list[str]:
        """The command line: this interpreter's `sregym`, wherever it is installed."""
        return [sys.executable, "-m", "sregym_core", *arguments]

    def run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout_s: float = 120.0,
    ) -> RunOutcome:
        """Run `sregym` with these arguments to its end."""
        command = self.command(*arguments)
        variables = {**self.environment, **(env or {})}
        if self.server is not None and self.server.can_run(variables):
            told = self.server.run(arguments, self.folder, variables, stdin, timeout_s)
            return RunOutcome(tuple(command), self.folder, *told)
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return RunOutcome(tuple(command), self.folder, done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Where the commands of projects are forked from."""
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def sregym_project(tmp_path: Path, fork_server: ForkServer) -> Callable[..., SregymProject]:
    """Make a project from files: `sregym_project({"problem.yaml": text}).run("verify")`."""

    def make(files: Mapping[str, str] | None = None) -> SregymProject:
        folder, home = tmp_path / "project", tmp_path / "home"
        folder.mkdir(exist_ok=True)
        home.mkdir(exist_ok=True)
        for name, text in (files or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        cache = str(home / ".cache")
        return SregymProject(
            folder, {**kept, "HOME": str(home), "XDG_CACHE_HOME": cache}, fork_server
        )

    return make
