"""exec and attach over websocket: `v5.channel.k8s.io` and `v4.channel.k8s.io`.

A binary message begins with the number of its channel: 0 stdin, 1 stdout, 2 stderr, 3 the final
Status, 4 terminal size; in v5 a message on channel 255 closes the channel that its second byte
names. A command runs to its end when its input is complete. An interactive shell, of which v4 never
says that the input is complete, runs line by line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import WSMsgType, web

from sregym_cluster_embedded.http.following import attach_text
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.status import failure
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.http.watching import changes, wait_for_change
from sregym_cluster_embedded.kubectl.containers import ContainerNotRunningError, run_in_container
from sregym_cluster_embedded.kubelet.runtime import ExecResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
STDIN, STDOUT, STDERR, STATUS, CLOSE = 0, 1, 2, 3, 255

_SHELLS = frozenset({"sh", "bash", "ash", "dash"})

# A client reads messages up to 16 MiB; ours stay far below.
_CHUNK = 32 * 1024


async def serve_exec(
    live: LiveWorld, connect: Connect, incoming: web.Request, shift_s: int = 0
) -> web.StreamResponse:
    """Serve one `exec` or `attach` stream to its end, its text moved by `shift_s`."""
    socket = web.WebSocketResponse(protocols=PROTOCOLS)
    await socket.prepare(incoming)
    if connect.kind == "attach":
        async for chunk in attach_text(live, connect):
            await _send(socket, STDOUT, shifted_text(chunk, shift_s))
        status = {"metadata": {}, "status": "Success"}
    elif _is_interactive(connect, socket.ws_protocol):
        status = await _converse(live, connect, socket, shift_s)
    else:
        status = await _run(live, connect, socket, shift_s)
    await _send(socket, STATUS, orjson.dumps(status).decode())
    await socket.close()
    return socket


def exec_status(result: ExecResult) -> dict[str, Any]:
    """The Status that ends an exec stream: success, an exit code, or why nothing ran."""
    if result.error:
        text = f"Internal error occurred: {result.error}"
        return failure(500, text) | {"details": {"causes": [{"message": result.error}]}}
    if result.exit_code == 0:
        return {"metadata": {}, "status": "Success"}
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {result.exit_code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(result.exit_code)}]},
    }


def _is_interactive(connect: Connect, protocol: str | None) -> bool:
    command = connect.options.get("command", ())
    if not connect.options.get("stdin") or len(command) != 1:
        return False
    is_shell = command[0].rsplit("/", 1)[-1] in _SHELLS
    return is_shell and (bool(connect.options.get("tty")) or protocol == PROTOCOLS[1])


async def _run(
    live: LiveWorld, connect: Connect, socket: web.WebSocketResponse, shift_s: int
) -> dict[str, Any]:
    stdin = ""
    if connect.options.get("stdin") and socket.ws_protocol == PROTOCOLS[0]:
        stdin = shifted_text("".join([chunk async for chunk in _stdin(socket)]), -shift_s)
    result = await _execute(live, connect, stdin)
    await _answer(socket, result, shift_s)
    return exec_status(result)


async def _converse(
    live: LiveWorld, connect: Connect, socket: web.WebSocketResponse, shift_s: int
) -> dict[str, Any]:
    pending = ""
    result = ExecResult(0)
    async for chunk in _stdin(socket):
        pending += chunk.replace("\r", "\n")
        *lines, pending = pending.split("\n")
        for line in lines:
            if line.split() and line.split()[0] == "exit":
                return exec_status(ExecResult(int(([*line.split(), "0"])[1])))
            if line.strip():
                result = await _execute(live, connect, line + "\n")
                await _answer(socket, result, shift_s)
    if pending.strip():
        result = await _execute(live, connect, pending + "\n")
        await _answer(socket, result, shift_s)
    return exec_status(result)


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
    if isinstance(live.pacing, Stepped):
        live.advance(result.duration_s)
        return result
    with changes(live) as changed:
        while live.now < began + result.duration_s:
            await wait_for_change(changed, result.duration_s)
    return result


async def _stdin(socket: web.WebSocketResponse) -> AsyncIterator[str]:
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            data = message.data.encode()
        elif message.type is WSMsgType.BINARY:
            data = message.data
        else:
            return
        if not data:
            continue
        if data[0] == CLOSE and data[1:2] == bytes([STDIN]):
            return
        if data[0] == STDIN:
            yield data[1:].decode(errors="surrogateescape")


async def _answer(socket: web.WebSocketResponse, result: ExecResult, shift_s: int) -> None:
    await _send(socket, STDOUT, shifted_text(result.stdout, shift_s))
    await _send(socket, STDERR, shifted_text(result.stderr, shift_s))


async def _send(socket: web.WebSocketResponse, channel: int, text: str) -> None:
    data = text.encode(errors="surrogateescape")
    for start in range(0, len(data), _CHUNK):
        await socket.send_bytes(bytes([channel]) + data[start : start + _CHUNK])
