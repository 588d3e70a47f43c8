"""Records of runs that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.records import read_run

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_core.model import EpisodeRecord


def read_records(folder: Path) -> tuple[EpisodeRecord, ...]:
    """All records of a run, in order.

    Args:
        folder: Of the run, as `sregym run` named it.

    Raises:
        UsageError: The folder holds no run, or a file of it is damaged.
    """
    return tuple(read_run(folder)[1])
