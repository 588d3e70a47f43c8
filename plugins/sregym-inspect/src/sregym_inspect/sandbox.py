"""The sandbox: a shell with kubectl and nothing else, behind which the broken system stands.

The world is the sandbox's own and not inside it: what runs by `exec` goes through the same session as
the tools, with the same rights and limits, and cannot reach problem, defect or verdict.
"""

from __future__ import annotations

import shlex
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, overload

from anyio.to_thread import run_sync
from inspect_ai.util import ExecResult, SandboxEnvironment, sandboxenv
from pydantic import BaseModel
from sregym_core.api import Budget
from sregym_core.errors import WorldError
from sregym_rollouts import Rollouts, RolloutTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_rollouts import Rollout

_SHELLS = ("bash", "sh", "/bin/bash", "/bin/sh")
_NOT_FOUND = 127


class IncidentConfig(BaseModel, frozen=True):
    """Which incident a sample has; for `SandboxEnvironmentSpec("sregym", IncidentConfig(...))`.

    Attributes:
        task: `PROBLEM@SEED`.
        mode: How the episode is put to the agent.
        max_steps: Most calls of tools.
    """

    task: str
    mode: str = "standard"
    max_steps: int = 60


@cache
def _rollouts(mode: str, max_steps: int) -> Rollouts:
    """One set of plugins and checkpoints for all samples of an evaluation."""
    return Rollouts(mode=mode, budget=Budget(steps=max_steps), agent="inspect")


@sandboxenv(name="sregym")
class IncidentSandbox(SandboxEnvironment):
    """One incident. Files live in memory; `kubectl -f FILE` reads them.

    Attributes:
        rollout: The episode; None where the world was not right.
        trouble: What was wrong with the world; empty where nothing was.
    """

    def __init__(self, rollout: Rollout | None, trouble: str = "") -> None:
        super().__init__()
        self.rollout = rollout
        self.trouble = trouble
        self._files: dict[str, bytes] = {}

    @classmethod
    async def sample_init(
        cls, task_name: str, config: Any, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Break a world for a sample.

        Raises:
            UsageError: There is no such problem or mode.
            TypeError: The sandbox was given no `IncidentConfig`.
        """
        if not isinstance(config, IncidentConfig):
            msg = "sandbox 'sregym': an IncidentConfig is needed, e.g. ('sregym', IncidentConfig(task='PROBLEM@SEED'))"
            raise TypeError(msg)
        rollouts = _rollouts(config.mode, config.max_steps)
        try:
            rollout = await run_sync(rollouts.start, RolloutTask.named(config.task))
        except WorldError as error:
            return {"default": cls(None, str(error))}
        return {"default": cls(rollout)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: Any,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Give the world back."""
        for environment in environments.values():
            rollout = environment.as_type(cls).rollout
            if rollout is not None:
                rollout.drop()

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """The configuration that a log tells."""
        return IncidentConfig(**config)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 - as Inspect names it
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run kubectl, by itself or as the one command of a shell; nothing else is there."""
        try:
            words = _words(cmd)
        except ValueError as error:
            return _failed(f"sh: syntax error: {error}", 2)
        if not words:
            return ExecResult(True, 0, "", "")
        if words[0] != "kubectl":
            return _failed(f"sh: {words[0]}: command not found", _NOT_FOUND)
        if self.rollout is None or self.rollout.done:
            return _failed("error: the server is gone", 1)
        given = input.decode() if isinstance(input, bytes) else input or ""
        words, given = self._read_files(words[1:], given)
        arguments = {"command": shlex.join(words), "stdin": given}
        step = await run_sync(partial(self.rollout.call, "kubectl", arguments))
        return ExecResult(
            step.ok, int(not step.ok), *((step.text, "") if step.ok else ("", step.text))
        )

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Keep a file."""
        self._files[file] = contents.encode() if isinstance(contents, str) else contents

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """A file that was written.

        Raises:
            FileNotFoundError: None was written there.
        """
        if file not in self._files:
            raise FileNotFoundError(file)
        return self._files[file].decode() if text else self._files[file]

    def _read_files(self, words: Sequence[str], given: str) -> tuple[list[str], str]:
        """Words with `-f -` instead of the files that were written, and their content."""
        read, after = [], ""
        for word in words:
            name, _, path = (
                word.partition("=") if word.startswith("--filename=") else ("", "", word)
            )
            if path in self._files and (name or after in ("-f", "--filename")):
                given = self._files[path].decode()
                word = f"{name}=-" if name else "-"
            read.append(word)
            after = word
        return read, given


def _words(cmd: Sequence[str]) -> list[str]:
    """The command of a shell's line, or of the list itself."""
    if cmd and cmd[0] in _SHELLS and "-c" in cmd:
        return shlex.split(cmd[cmd.index("-c") + 1])
    return list(cmd)


def _failed(text: str, code: int) -> ExecResult[str]:
    return ExecResult(False, code, "", text)
