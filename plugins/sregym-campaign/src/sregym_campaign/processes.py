"""The runner `processes`: workers on this machine, each of which plays one episode after another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.api import Workspace, play_request
from sregym_core.interfaces import EpisodeRequest, EpisodeResult, Runner
from sregym_core.scratch import ScratchFolder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DIED = "its process was ended from outside, by lack of memory for instance"


@dataclass(eq=False)
class _Worker:
    """One process, as this one sees it."""

    process: Any
    post: connection.Connection
    request: EpisodeRequest | None = None
    ends_at: float | None = None
    why: str = ""


class Processes(Runner):
    """Plays episodes in processes of this machine; one that dies or hangs costs its episode."""

    name: ClassVar[str] = "processes"

    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        super().__init__(jobs, options)
        self._jobs = jobs or os.cpu_count() or 1
        self._workers: list[_Worker] = []
        self._told: deque[EpisodeResult] = deque()
        # Workers that are ended by force cannot clear away their temporary folders.
        self._scratch: ScratchFolder | None = None

    @property
    def free(self) -> int:
        """How many more episodes can be begun now."""
        return self._jobs - len(self._busy())

    def begin(self, request: EpisodeRequest, deadline_s: float | None) -> None:
        """Hand an episode to a worker that has nothing to do, or to a new one."""
        worker = next((one for one in self._workers if one.request is None), None)
        worker = worker or self._start()
        worker.request = request
        worker.ends_at = None if deadline_s is None else time.monotonic() + deadline_s
        worker.why = "" if deadline_s is None else f"it did not end within {deadline_s:g} s"
        with suppress(OSError):  # noticed when its answer is awaited
            worker.post.send(request)

    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        """What has ended."""
        now = time.monotonic()
        limits = [one.ends_at - now for one in self._busy() if one.ends_at is not None]
        posts = {one.post: one for one in self._busy()}
        for post in connection.wait([*posts], timeout=max(0.0, min([timeout_s, *limits]))):
            self._take(posts[post])  # type: ignore[index]  # what was waited for
        for worker in self._busy():
            if worker.ends_at is not None and time.monotonic() >= worker.ends_at:
                worker.process.kill()
                self._lose(worker, worker.why)
        told = [*self._told]
        self._told.clear()
        return told

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.post.close()
        self._workers.clear()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _busy(self) -> list[_Worker]:
        return [one for one in self._workers if one.request is not None]

    def _take(self, worker: _Worker) -> None:
        request = worker.request
        assert request is not None  # those without one are not waited for
        try:
            record, lost = worker.post.recv()
        except (EOFError, OSError):
            self._lose(worker, DIED)
            return
        worker.request = None
        self._told.append(EpisodeResult(request, record, lost))

    def _lose(self, worker: _Worker, why: str) -> None:
        assert worker.request is not None  # only who plays can lose something
        self._workers.remove(worker)
        worker.process.join()
        worker.post.close()
        self._told.append(EpisodeResult(worker.request, None, why))

    def _start(self) -> _Worker:
        if self._scratch is None:
            self._scratch = ScratchFolder("cluster-")
        # Forking a process with several threads may copy a lock that nobody will release.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
        own, its = context.Pipe()
        # What a worker inherits of the others would keep their pipes open after this process.
        others = [own, *(worker.post for worker in self._workers)] if can_fork else []
        process = context.Process(
            target=_serve, args=(its, others, self._scratch.name), daemon=True, name="episodes"
        )
        process.start()
        its.close()
        worker = _Worker(process, own)
        self._workers.append(worker)
        return worker


def _serve(
    pipe: connection.Connection, others: Sequence[connection.Connection], scratch: str
) -> None:
    """Play what is asked for until the process that asks is gone."""
    for other in others:
        other.close()
    tempfile.tempdir = scratch
    # Ctrl-C is for the process that asks; it ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a child
    threading.Thread(target=_end_with, args=(parent.sentinel,), name="parent", daemon=True).start()
    with Workspace() as workspace:
        while True:
            try:
                request = pipe.recv()
            except (EOFError, OSError):
                return
            pipe.send(_played(request, workspace))


def _played(request: EpisodeRequest, workspace: Workspace) -> tuple[Any, str]:
    try:
        return play_request(request, workspace), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _end_with(sentinel: int) -> None:
    """Nobody would take the record any more."""
    connection.wait([sentinel])
    os._exit(1)
