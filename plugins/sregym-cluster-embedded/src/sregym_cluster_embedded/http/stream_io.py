"""From and to the client of a stream: its input as text, what is written, the time that passes."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.remote_streams import STDERR, STDOUT
from sregym_cluster_embedded.http.terminal import terminal_output
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.http.watching import changes, wait_for_change

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams
    from sregym_cluster_embedded.kubelet.runtime import ExecResult


async def texts(streams: RemoteStreams) -> AsyncIterator[str]:
    """The input as text; bytes that are no UTF-8 are surrogate escapes."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    async for data in streams.stdin():
        if text := decoder.decode(data):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text


async def answer(
    streams: RemoteStreams, result: ExecResult, shift_s: int, *, terminal: bool = False
) -> None:
    """Send what a command wrote; a terminal has one stream for both and its own line ends."""
    out, err = shifted_text(result.stdout, shift_s), shifted_text(result.stderr, shift_s)
    if terminal:
        out, err = terminal_output(err + out), ""
    # Standard error goes first: a client of `cp` leaves when the archive on stdout ends.
    for channel, text in ((STDERR, err), (STDOUT, out)):
        if text:
            await streams.send(channel, text.encode(errors="surrogateescape"))


async def spend(live: LiveWorld, began: float, duration_s: float) -> None:
    """Let the time pass that a command takes."""
    if not duration_s:
        return
    if isinstance(live.pacing, Stepped):
        live.advance(duration_s)
        return
    with changes(live) as changed:
        while live.now < began + duration_s:
            await wait_for_change(changed, duration_s)
