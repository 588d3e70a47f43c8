"""The runner `ray`: episodes are tasks of a Ray cluster, one processor each."""

from __future__ import annotations

import os
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.interfaces import EpisodeRequest, EpisodeResult, Runner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REACHED_S = 10.0
_SETTINGS = ("SREGYM_PLUGINS", "SREGYM_DISABLE")


@dataclass(frozen=True)
class _Running:
    """An episode that was begun."""

    request: EpisodeRequest
    ends_at: float | None
    why: str


class RayRunner(Runner):
    """Plays episodes as tasks of Ray.

    Nothing is retried by Ray itself: the campaign counts tries and pays for them. Keys of providers
    are given to tasks by the names that `env` lists; they have to be set where the campaign runs.
    """

    name: ClassVar[str] = "ray"
    accepts: ClassVar[tuple[str, ...]] = ("address", "env")

    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        super().__init__(jobs, options)
        self._names = [name for name in self.options.get("env", "").split(",") if name]
        for name in self._names:
            if name not in os.environ:
                msg = f"runner 'ray': option env names {name}, which is not set"
                raise UsageError(msg)
        self._running: dict[Any, _Running] = {}
        self._task: Any = None

    @property
    def free(self) -> int:
        """How many more episodes can be begun now: processors that the cluster has without work."""
        jobs = self.jobs
        if jobs is None:
            self._connect()
            import ray

            jobs = int(ray.cluster_resources().get("CPU", 0))
        return jobs - len(self._running)

    def begin(self, request: EpisodeRequest, deadline_s: float | None) -> None:
        """Hand it to the cluster."""
        self._connect()
        ends_at = None if deadline_s is None else time.monotonic() + deadline_s
        why = "" if deadline_s is None else f"it did not end within {deadline_s:g} s"
        self._running[self._task.remote(request)] = _Running(request, ends_at, why)

    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        """What has ended, with what was lost with its machine."""
        if not self._running:
            threading.Event().wait(timeout_s)  # nothing else can come
            return []
        import ray

        limits = [one.ends_at - time.monotonic() for one in self._running.values() if one.ends_at]
        ready, _ = ray.wait(
            [*self._running],
            num_returns=1,
            timeout=max(0.0, min([timeout_s, *limits])),
        )
        told = [self._ended(reference) for reference in ready]
        for reference, one in [*self._running.items()]:
            if one.ends_at is not None and time.monotonic() >= one.ends_at:
                ray.cancel(reference, force=True)
                del self._running[reference]
                told.append(EpisodeResult(one.request, None, one.why))
        return told

    def close(self) -> None:
        """Cancel what is being played, and leave the cluster."""
        if self._task is None:
            return
        import ray

        for reference in self._running:
            ray.cancel(reference, force=True)
        self._running.clear()
        self._task = None
        ray.shutdown()

    def _ended(self, reference: Any) -> EpisodeResult:
        import ray
        from ray.exceptions import RayError

        one = self._running.pop(reference)
        try:
            record, lost = ray.get(reference)
        except RayError as error:
            return EpisodeResult(one.request, None, _told(error))
        return EpisodeResult(one.request, record, lost)

    def _connect(self) -> None:
        """Only when something is to be played: making a runner checks options alone."""
        if self._task is not None:
            return
        import ray

        address = self.options.get("address")
        _look_for(address)
        variables = {
            name: os.environ[name] for name in (*self._names, *_SETTINGS) if name in os.environ
        }
        # A cluster of this machine alone, where none is named.
        own: dict[str, Any] = {} if address else {"include_dashboard": False, "num_cpus": self.jobs}
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                configure_logging=False,
                runtime_env={"env_vars": variables} if variables else None,
                **own,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            first = str(error).strip().partition("\n")[0]
            msg = f"runner 'ray' reaches no cluster at {address or 'this machine'!r}: {first}"
            raise UsageError(msg) from error
        # One task a process after another, so that plugins and worlds are loaded once.
        self._task = ray.remote(num_cpus=1, max_retries=0)(_played)


def _look_for(address: str | None) -> None:
    """Ray itself waits for minutes for a cluster that is not there."""
    host, _, port = (address or "").rpartition(":")
    if not host or not port.isdecimal():
        return  # `auto`, or a client's address: Ray knows what that is
    try:
        with socket.create_connection((host, int(port)), timeout=_REACHED_S):
            return
    except (OSError, OverflowError) as error:
        msg = f"runner 'ray' reaches no cluster at {address!r}: {error}"
        raise UsageError(msg) from error


def _told(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0].partition(". ")[0]
    return f"{type(error).__name__}: {first}"


def _played(request: EpisodeRequest) -> tuple[Any, str]:
    """In a process of the cluster."""
    from sregym_core.api import play_request

    try:
        return play_request(request), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
