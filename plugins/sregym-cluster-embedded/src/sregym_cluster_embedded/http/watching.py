"""Watches on the wire: a chunked answer that goes on while the world changes."""

from __future__ import annotations

import asyncio
import bisect
from contextlib import contextmanager
from typing import TYPE_CHECKING

import orjson
from aiohttp import web

from sregym_cluster_embedded.http.status import failure
from sregym_cluster_embedded.http.time_shift import shifted_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.request import Watch
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.store import Change

BOOKMARK_S = 60.0


@contextmanager
def changes(live: LiveWorld, *, of_objects: bool = False) -> Iterator[asyncio.Event]:
    """An event of the running loop that is set after each change of `live`, or of its objects."""
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()

    def bell() -> None:
        # A watcher that was woken reads the world only after this change.
        if not changed.is_set() and not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)

    unsubscribe = live.subscribe(bell, to_objects=of_objects)
    try:
        yield changed
    finally:
        unsubscribe()


async def wait_for_change(changed: asyncio.Event, timeout_s: float) -> None:
    """Return at the next change, or when `timeout_s` wall seconds have passed."""
    try:
        async with asyncio.timeout(timeout_s):
            await changed.wait()
    except TimeoutError:
        return
    changed.clear()


async def serve_watch(
    live: LiveWorld, watch: Watch, incoming: web.Request, shift_s: int = 0
) -> web.StreamResponse:
    """Write the events of `watch` until it times out, expires, or the client leaves."""
    loop = asyncio.get_running_loop()
    answer = web.StreamResponse(
        headers={
            "Content-Type": watch.content_type,
            "Cache-Control": "no-cache, private",
            **watch.headers,
        }
    )
    answer.enable_chunked_encoding()
    await answer.prepare(incoming)
    end = loop.time() + watch.timeout_s
    next_bookmark = loop.time() + BOOKMARK_S
    position = watch.since
    with changes(live, of_objects=True) as changed, live.waiting():
        if watch.initial:
            await answer.write(shifted_json(b"".join(watch.initial), shift_s))
        while True:
            chunks, position, expired = _pull(live, watch, position)
            if loop.time() >= next_bookmark and watch.bookmark is not None and not expired:
                next_bookmark = loop.time() + BOOKMARK_S
                chunks.append(watch.bookmark(position))
            if chunks:
                await answer.write(shifted_json(b"".join(chunks), shift_s))
            left = min(end, next_bookmark) - loop.time()
            if expired or loop.time() >= end:
                break
            await wait_for_change(changed, left)
    await answer.write_eof()
    return answer


def _pull(live: LiveWorld, watch: Watch, position: int) -> tuple[list[bytes], int, bool]:
    """What happened after revision `position`: encoded events, the new position, or expiry."""
    with live.open() as world:
        history = world.store.history
        if history and history[0].revision > position + 1 and position < world.store.revision:
            gone = failure(410, f"too old resource version: {position} ({history[0].revision})")
            return [orjson.dumps({"type": "ERROR", "object": gone}) + b"\n"], position, True
        chunks = []
        for change in history[bisect.bisect_right(history, position, key=_revision) :]:
            event = watch.render(change)
            if event is not None:
                chunks.append(event)
        return chunks, world.store.revision, False


def _revision(change: Change) -> int:
    return change.revision
