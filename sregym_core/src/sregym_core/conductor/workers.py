"""Worker processes: each keeps a bench and its worlds, and takes one task after another.

Where the system can fork a process, workers inherit what is loaded already, a prepared checkpoint
included; elsewhere each loads its plugins itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sregym_core.conductor.bench import Bench
from sregym_core.conductor.worlds import Worlds
from sregym_core.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sregym_core.settings import Settings

T = TypeVar("T")
R = TypeVar("R")
_LOST = (
    "a worker process was ended from outside, by lack of memory for instance: what the workers were "
    "at has no record, what they had done before has; try again, with fewer --jobs where memory is short"
)


@dataclass(frozen=True)
class Station:
    """What a worker works with.

    Attributes:
        bench: Loaded plugins.
        worlds: Where worlds come from.
        tell: Passes a value to the process that started the workers.
    """

    bench: Bench
    worlds: Worlds
    tell: Callable[[Any], None]


@dataclass(frozen=True)
class _Recipe:
    """How a worker that inherits nothing makes its station."""

    settings: Settings
    cluster: str
    options: Mapping[str, str]


class Workers(Generic[T, R]):
    """A pool of worker processes for tasks of one kind.

    Args:
        bench: What the workers work with, too.
        worlds: Of this process; workers that are forked start with its checkpoints.
        cluster: Name of the provider of `worlds`.
        jobs: How many processes.
        listener: Called in this process, in a thread, with what workers tell.
    """

    def __init__(
        self,
        bench: Bench,
        worlds: Worlds,
        cluster: str,
        jobs: int,
        listener: Callable[[Any], None] | None = None,
    ) -> None:
        # Forking a process with several threads may copy a lock that nobody will release.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        context = multiprocessing.get_context("fork" if can_fork else "spawn")
        self._told: Any = context.SimpleQueue()
        recipe = _Recipe(bench.settings, cluster, worlds.options)
        origin = Station(bench, worlds, _nobody) if can_fork else recipe
        # Workers that are ended by force cannot clear away their temporary folders.
        self._scratch = tempfile.TemporaryDirectory(prefix="cluster-", ignore_cleanup_errors=True)
        self._executor = ProcessPoolExecutor(
            jobs,
            mp_context=context,
            initializer=_open_station,
            initargs=(origin, self._told, self._scratch.name),
        )
        self._listener = listener or _nobody
        self._thread = threading.Thread(target=self._pass_on, name="workers", daemon=True)

    def each(self, function: Callable[[Station, T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Results of `function(station, task)` as they come.

        On Ctrl-C the workers that are busy are told: they end their task in order, the results of
        those are still given, and then `KeyboardInterrupt` is raised.

        Raises:
            WorldError: Somebody else ended a worker.
        """
        pending: set[Future[R | None]] = set()
        try:
            pending = {self._executor.submit(_work, function, task) for task in tasks}
            if not self._thread.is_alive():
                self._thread.start()
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from _results(done)
        except KeyboardInterrupt:
            for future in pending:
                future.cancel()
            # A terminal tells the whole group; who ends this process alone did not tell them.
            for child in multiprocessing.active_children():
                os.kill(child.pid or os.getpid(), signal.SIGINT)
            done, _ = wait([future for future in pending if not future.cancelled()])
            yield from _results(done)
            raise
        except BrokenProcessPool as error:
            raise WorldError(_LOST) from error

    def close(self) -> None:
        """End the workers; what they told is passed on before this returns."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        if self._thread.is_alive():
            self._told.put(None)
            self._thread.join()
        self._scratch.cleanup()

    def _pass_on(self) -> None:
        while (item := self._told.get()) is not None:
            self._listener(item)


_station: Station | None = None  # one per worker process, set once when the process starts
_interrupted = threading.Event()  # one per worker process: after Ctrl-C nothing is begun any more


def _open_station(origin: Station | _Recipe, told: Any, scratch: str) -> None:
    global _station  # noqa: PLW0603 - a pool's initializer has no other place for a worker's state
    _interrupted.clear()
    tempfile.tempdir = scratch
    # The executor ends workers with it when one of them has died.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Between tasks Ctrl-C is only remembered; a worker that died of it would break the pool.
    signal.signal(signal.SIGINT, _remember)
    if isinstance(origin, Station):
        bench, worlds = origin.bench, origin.worlds
    else:
        bench = Bench(origin.settings)
        worlds = Worlds(bench.provider(origin.cluster), origin.options)
    _station = Station(bench, worlds, told.put)


def _work(function: Callable[[Station, T], R], task: T) -> R | None:
    # A task that the pool had handed out already cannot be cancelled by the parent.
    if _station is None or _interrupted.is_set():
        return None
    try:
        signal.signal(signal.SIGINT, _interrupt)
        return function(_station, task)
    except KeyboardInterrupt:
        return None
    finally:
        signal.signal(signal.SIGINT, _remember)


def _remember(_number: int, _frame: object) -> None:
    _interrupted.set()


def _interrupt(_number: int, _frame: object) -> None:
    if not _interrupted.is_set():
        _interrupted.set()
        raise KeyboardInterrupt
    # It is giving its world back already, and is not kept from it.


def _results(done: Iterable[Future[R | None]]) -> list[R]:
    results = [future.result() for future in done if not future.cancelled()]
    return [result for result in results if result is not None]


def _nobody(_item: Any) -> None:
    """Nobody listens."""
