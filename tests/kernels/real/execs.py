"""Commands in containers on real nodes, served as a kubelet does: streams on the channels of a websocket."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web
from sregym_cluster_embedded.http.remote_streams import (
    SOCKET_PROTOCOLS,
    STDERR,
    STDOUT,
    SocketStreams,
)

_PART = 32768


async def serve(asked: web.Request, words: Sequence[str]) -> web.StreamResponse:
    """Run a program of this machine that leads into the container, and carry its streams.

    Args:
        asked: By whom.
        words: Of that program.
    """
    socket = web.WebSocketResponse(protocols=SOCKET_PROTOCOLS)
    await socket.prepare(asked)
    streams = SocketStreams(socket)
    process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    feeding = asyncio.ensure_future(_feed(streams, process.stdin))
    if asked.query.get("stdin", "false").lower() not in ("true", "1"):
        process.stdin.close()
    await asyncio.gather(
        _carry(process.stdout, streams, STDOUT), _carry(process.stderr, streams, STDERR)
    )
    code = await process.wait()
    feeding.cancel()
    await streams.finish(_status(code))
    return socket


async def _feed(streams: SocketStreams, into: asyncio.StreamWriter) -> None:
    async for part in streams.stdin():
        into.write(part)
        await into.drain()
    into.close()


async def _carry(output: asyncio.StreamReader, streams: SocketStreams, channel: int) -> None:
    while part := await output.read(_PART):
        await streams.send(channel, part)


def _status(code: int) -> Mapping[str, Any]:
    if not code:
        return {"metadata": {}, "status": "Success"}
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return {
        **{"metadata": {}, "status": "Failure", "reason": "NonZeroExitCode"},
        **{"message": f"command terminated with exit code {code}", "details": {"causes": causes}},
    }
