"""The input of a command: how much of it there has to be before the command can run.

A client that opens the input of `cat FILE` and leaves it open gets the file all the same: the command
does not read. Other commands get what is typed as it comes (`http.reading`). Nobody knows that of a command but the command itself, so it is tried in forks of the
world: when more input makes no difference to what it says and does, it has had enough.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from sregym_cluster_embedded.http.stream_io import texts
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.kubectl.containers import ContainerNotRunningError, run_in_container

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams
    from sregym_cluster_embedded.world import World

# Wall seconds without more input before it is looked whether there is enough.
_QUIET_S = 0.05
# What readers of lines, and readers of archives, do not read without a difference.
_MORE = "\n0 more\n"
# What looks at one column finds what it looks for.
_COLUMNS = 9
_EMPTY_ARCHIVE = "\0" * 10240


class Reading(Protocol):
    """What takes an input that is not complete yet."""

    async def __call__(self, text: str, *, closed: bool) -> bool:
        """Take all of it up to now; whether no more is wanted."""


async def entered(
    live: LiveWorld,
    connect: Connect,
    streams: RemoteStreams,
    shift_s: int,
    reading: Reading | None = None,
) -> str | None:
    """The input until it is complete, the client has left, or more of it makes no difference.

    None when it has gone to `reading`, which is given the input of a client that goes on typing.
    """
    begun = False
    pieces: list[str] = []
    arrived = asyncio.Event()

    async def take() -> None:
        async for piece in texts(streams):
            pieces.append(piece)
            arrived.set()

    def so_far() -> str:
        return shifted_text("".join(pieces), -shift_s)

    taking = asyncio.ensure_future(take())
    try:
        while True:
            count = len(pieces)
            await asyncio.wait({taking}, timeout=_QUIET_S)
            if taking.done():
                break
            if len(pieces) != count:
                continue
            # One who takes what comes knows best when it is enough.
            if not begun and enough(live, connect, so_far() if reading is None else ""):
                return so_far()
            arrived.clear()
            if reading is not None:
                begun = True
                if await reading(so_far(), closed=False):
                    return None
            more = asyncio.ensure_future(arrived.wait())
            await asyncio.wait({taking, more}, return_when=asyncio.FIRST_COMPLETED)
            more.cancel()
        await taking
        if reading is None or not begun:
            return so_far()
        await reading(so_far(), closed=True)
        return None
    finally:
        taking.cancel()


def enough(live: LiveWorld, connect: Connect, text: str) -> bool:
    """Whether a command does not read at all, or is through with what it has.

    What failed may have met an end in the middle: with that, nothing is known.
    """
    more = _MORE + _sought(connect)
    with live.open() as world:
        without = _outcome(world, connect, "")
        if all(without == _outcome(world, connect, one) for one in (more, _EMPTY_ARCHIVE)):
            return True
        code, *_ = one = _outcome(world, connect, text)
        return bool(text) and code == 0 and one == _outcome(world, connect, text + more)


def _sought(connect: Connect) -> str:
    """Lines that a command meets which looks for something: of the words that it was given itself."""
    lines: list[str] = []
    for word in " ".join(connect.options.get("command", ())).split():
        pieces = re.findall(r"\w+", word)
        lines += (word, "".join(pieces), *(" ".join([piece] * _COLUMNS) for piece in pieces))
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _outcome(world: World, connect: Connect, text: str) -> tuple[Any, ...]:
    """What a command says and does with an input, and whether it goes on."""
    fork, since = world.fork(), world.store.revision
    command = tuple(connect.options.get("command", ()))
    try:
        result = run_in_container(
            fork, connect.namespace, connect.pod, connect.container, command, text
        )
    except ContainerNotRunningError as error:
        return 1, str(error)
    grows = result.grows is not None
    return result.exit_code, replace(result, grows=None), grows, fork.doings(since)
