"""exec: a command in a container, its input, and what it gives back.

A command runs to its end when its input is complete, or more of it would make no difference; one that reads
what is still being typed goes as far as that lets it. Shells and consoles that read their script
from the input run line by line, on a terminal with prompt and echo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.http.holding import TookTooLongError
from sregym_cluster_embedded.http.interactive import converse
from sregym_cluster_embedded.http.interactive_stdin import Reader
from sregym_cluster_embedded.http.status import KILLED, failure
from sregym_cluster_embedded.http.stdin import enough, entered
from sregym_cluster_embedded.http.stream_io import answer, spend
from sregym_cluster_embedded.http.watching import changes, wait_for_change
from sregym_cluster_embedded.kubectl.containers import ContainerNotRunningError, run_in_container
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.userland.keys import INTERACTION
from sregym_cluster_embedded.userland.shell.input import is_shell, never_reads

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams

# How long to wait at most before looking again whether a command has ended.
_LOOK_S = 1.0
SUCCESS: dict[str, Any] = {"metadata": {}, "status": "Success"}


async def serve_exec(
    live: LiveWorld, connect: Connect, streams: RemoteStreams, shift_s: int = 0
) -> None:
    """Serve one exec to its end, its text moved by `shift_s`."""
    try:
        result = await _served(live, connect, streams, shift_s)
    except TookTooLongError:
        result = ExecResult(KILLED)
    await streams.finish(exec_status(result))


async def _served(
    live: LiveWorld, connect: Connect, streams: RemoteStreams, shift_s: int
) -> ExecResult:
    options = connect.options
    command = tuple(options.get("command", ()))
    with live.open() as world:
        service = world.service_or_none(INTERACTION) if options.get("stdin") else None
    if service is not None and (
        is_shell(command) or (service.is_console(command) and options.get("tty"))
    ):
        result = await converse(live, connect, streams, shift_s)
    else:
        stdin: str | None = ""
        reader = Reader(live, connect, streams, shift_s)
        if options.get("stdin") and not never_reads(command):
            if not options.get("tty"):
                reading = reader.take if service is not None else None
                stdin = await entered(live, connect, streams, shift_s, reading)
            elif service is not None and not enough(live, connect, ""):
                return await reader.on_terminal()
        if stdin is None:
            return reader.result
        result = await _execute(live, connect, stdin)
        if result.grows is not None:
            await _stream(live, streams, result, shift_s, terminal=bool(options.get("tty")))
        else:
            await answer(streams, result, shift_s, terminal=bool(options.get("tty")))
    return result


def exec_status(result: ExecResult) -> dict[str, Any]:
    """The Status that ends an exec stream: success, an exit code, or why nothing ran."""
    if result.error:
        text = f"Internal error occurred: {result.error}"
        return failure(500, text) | {"details": {"causes": [{"message": result.error}]}}
    if result.exit_code == 0:
        return SUCCESS
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {result.exit_code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(result.exit_code)}]},
    }


async def _execute(live: LiveWorld, connect: Connect, stdin: str) -> ExecResult:
    command = tuple(connect.options.get("command", ()))
    with live.open() as world:
        began = world.now
        try:
            result = run_in_container(
                world, connect.namespace, connect.pod, connect.container, command, stdin
            )
        except ContainerNotRunningError as error:
            return ExecResult(1, error=f"unable to upgrade connection: {error}")
    if result.grows is None:
        await spend(live, began, result.duration_s)
    return result


async def _stream(
    live: LiveWorld, streams: RemoteStreams, result: ExecResult, shift_s: int, *, terminal: bool
) -> None:
    """Send what a command writes as it writes it, until it ends or the client has left."""
    growing = result.grows
    assert growing is not None
    await answer(streams, result, shift_s, terminal=terminal)
    sent, ends_at = result.stdout, live.now + result.duration_s
    with changes(live) as changed, live.waiting():
        while not (growing.ends and live.now >= ends_at):
            await wait_for_change(changed, _LOOK_S)
            with live.open() as world:
                text = growing.written(world)
            if text is None:
                return
            more = text[len(sent) :] if text.startswith(sent) else text
            if more:
                await answer(streams, ExecResult(0, more), shift_s, terminal=terminal)
            sent = text
