"""Finds the record of an episode and what its run says about the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_runs import Recorded


def find(place: str) -> Recorded | None:
    """The record at a folder of an episode, `RUN/episodes/e0001` or for short `RUN/e0001`.

    Raises:
        UsageError: A file of it is damaged.
    """
    from sregym_runs import read_recorded

    given = Path(place)
    folders = (given, given.parent / "episodes" / given.name)
    if not any((one / "record.json").is_file() for one in folders):
        return None
    return read_recorded(place)
