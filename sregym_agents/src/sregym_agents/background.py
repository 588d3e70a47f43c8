"""A thread that serves: what is asynchronous, for callers that are not."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from sregym_core.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

START_TIMEOUT_S = 30.0


class ServingThread:
    """Keeps an asynchronous context open, in a loop and a thread of its own.

    Args:
        name: Of the thread.
        serving: Makes the context; entered and left in the thread.
        start_timeout_s: How long entering may take.
    """

    def __init__(
        self,
        name: str,
        serving: Callable[[], AbstractAsyncContextManager[object]],
        start_timeout_s: float = START_TIMEOUT_S,
    ) -> None:
        self._serving = serving
        self._start_timeout_s = start_timeout_s
        self._ready = threading.Event()
        self._failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)

    def start(self, refusal: str) -> None:
        """Return once the context is entered.

        Raises:
            WorldError: It cannot be entered: `refusal` and the reason.
        """
        self._thread.start()
        entered = self._ready.wait(self._start_timeout_s)
        if self._failure is not None:
            msg = f"{refusal}: {self._failure}"
            raise WorldError(msg) from self._failure
        if not entered:
            msg = f"{refusal}: it does not start within {self._start_timeout_s:g} s"
            raise WorldError(msg)

    def stop(self) -> None:
        """Leave the context and wait for the thread to end; without effect when it has ended."""
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(START_TIMEOUT_S)

    def _serve(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as error:
            self._failure = error
            self._ready.set()

    async def _run(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        async with self._serving():
            self._ready.set()
            await self._stopping.wait()
