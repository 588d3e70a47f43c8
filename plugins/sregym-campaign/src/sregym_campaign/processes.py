"""The runner `processes`: workers on this machine, each of which plays one episode after another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.api import Workspace, play_request
from sregym_core.interfaces import EpisodeRequest, EpisodeResult, Runner
from sregym_runs import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.api import EpisodeRecord


class Processes(Runner):
    """Plays episodes in processes of this machine; one that dies or hangs costs its episode."""

    name: ClassVar[str] = "processes"

    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        super().__init__(jobs, options)
        # Ctrl-C is for the campaign, which plays anew what was interrupted.
        self._pool: WorkerPool[Workspace, EpisodeRequest, tuple[EpisodeRecord | None, str]] = (
            WorkerPool(_played, _workspace, jobs or os.cpu_count() or 1)
        )

    @property
    def free(self) -> int:
        """How many more episodes can be begun now."""
        return self._pool.free

    def begin(self, request: EpisodeRequest, deadline_s: float | None) -> None:
        """Hand an episode to a worker that has nothing to do, or to a new one."""
        self._pool.begin(request, deadline_s)

    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        """What has ended."""
        results = []
        for end in self._pool.wait(timeout_s):
            record, lost = end.result or (None, end.lost)
            results.append(EpisodeResult(end.task, record, lost))
        return results

    def close(self) -> None:
        """Kill all workers."""
        self._pool.close()


def _workspace(_number: int, _tell: Callable[[Any], None]) -> Workspace:
    return Workspace()


def _played(workspace: Workspace, request: EpisodeRequest) -> tuple[EpisodeRecord | None, str]:
    try:
        return play_request(request, workspace), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
