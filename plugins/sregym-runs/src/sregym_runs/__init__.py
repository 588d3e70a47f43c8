"""Runs of many episodes, what they wrote down, and proofs of many problems.

Names are imported when they are first asked for, since `sregym --help` asks for commands alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_runs.finished import FinishedRun
    from sregym_runs.fitting_pairs import Pair, pair, pairs
    from sregym_runs.record_files import read_records
    from sregym_runs.recorded import Recorded, read_recorded
    from sregym_runs.replaying import Replay, ReplayedStep
    from sregym_runs.run_command import Run
    from sregym_runs.summary import episode_summary
    from sregym_runs.worker_pool import TaskEnd, WorkerPool

_PLACES = {
    "FinishedRun": "sregym_runs.finished",
    "Pair": "sregym_runs.fitting_pairs",
    "Recorded": "sregym_runs.recorded",
    "Replay": "sregym_runs.replaying",
    "ReplayedStep": "sregym_runs.replaying",
    "Run": "sregym_runs.run_command",
    "TaskEnd": "sregym_runs.worker_pool",
    "WorkerPool": "sregym_runs.worker_pool",
    "episode_summary": "sregym_runs.summary",
    "pair": "sregym_runs.fitting_pairs",
    "pairs": "sregym_runs.fitting_pairs",
    "read_recorded": "sregym_runs.recorded",
    "read_records": "sregym_runs.record_files",
}

__all__ = [
    "FinishedRun",
    "Pair",
    "Recorded",
    "Replay",
    "ReplayedStep",
    "Run",
    "TaskEnd",
    "WorkerPool",
    "episode_summary",
    "pair",
    "pairs",
    "read_recorded",
    "read_records",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_PLACES[name]), name)
