"""Finding a program that a user installed, with all that it needs to run behind walls."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from sregym_core.errors import UsageError

# Whatever a program's file begins with, an interpreter's name is at most this far in.
_HEAD_BYTES = 256


@dataclass(frozen=True)
class Program:
    """An installed program.

    Attributes:
        argv: The words that start it, paths resolved.
        share: Files and folders that it reads of itself.
        version: Of its package; empty when it was not installed as one.
    """

    argv: tuple[str, ...]
    share: tuple[Path, ...]
    version: str = ""


def find_program(agent: str, name: str, package: str, given: str = "") -> Program:
    """The program of an agent.

    Args:
        agent: Name of the agent, for messages.
        name: Of the program, looked for on PATH.
        package: The npm package that brings it.
        given: What the user names: another name, or a path.

    Raises:
        UsageError: It is not there, or its interpreter is not.
    """
    found = shutil.which(given or name)
    if found is None:
        if given:
            msg = f"agent {agent!r}, option 'program': {given!r} is no program that can be run"
        else:
            msg = f"agent {agent!r} needs the program {name}: npm install --global {package}, or name its path with --agent-option program=/path/to/{name}"
        raise UsageError(msg)
    path = Path(found).resolve()
    interpreter = _interpreter(path)
    version = _version(path, package)
    if not interpreter:
        return Program((str(path),), (_packages(path),), version)
    by_name = shutil.which(interpreter[0])
    if by_name is None:
        msg = f"agent {agent!r}: {found} is a script for {interpreter[0]!r}, which is not on PATH"
        raise UsageError(msg)
    runner = Path(by_name).resolve()
    words = (str(runner), *interpreter[1:], str(path))
    return Program(words, (_packages(path), runner), version)


def _interpreter(path: Path) -> list[str]:
    """The words after `#!`, without `env`; none for a program that runs by itself."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head.startswith(b"#!"):
        return []
    words = shlex.split(head[2:].split(b"\n")[0].decode(errors="replace"))
    if Path(words[0]).name == "env":
        return [word for word in words[1:] if word != "-S"]
    return words


def _version(path: Path, package: str) -> str:
    for parent in path.parents:
        file = parent / "package.json"
        if file.is_file():
            about = json.loads(file.read_text(encoding="utf-8"))
            if about.get("name") == package:
                return str(about.get("version", ""))
    return ""


def _packages(path: Path) -> Path:
    """All packages that were installed with a program; the program alone where there are none."""
    outermost = [parent for parent in path.parents if parent.name == "node_modules"]
    return outermost[-1] if outermost else path
