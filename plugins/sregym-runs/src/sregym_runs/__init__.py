"""Many episodes: runs in several processes that can be gone on with, and proofs of many problems.

Names are imported when they are first asked for, since `sregym --help` asks for commands alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_runs.finished import FinishedRun as FinishedRun
    from sregym_runs.run_command import Run as Run

_PLACES = {"FinishedRun": "sregym_runs.finished", "Run": "sregym_runs.run_command"}

__all__ = ["FinishedRun", "Run"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_PLACES[name]), name)
