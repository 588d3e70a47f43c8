"""Records and heads of runs, read from the files in their folders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord
from sregym_core.model.validation import explain
from sregym_core.sealing import contents

if TYPE_CHECKING:
    from pathlib import Path

# What a run was about; without it nothing can be told of it.
_HEAD = ("problems", "agents", "seeds", "cluster")


def read_records(folder: Path) -> tuple[EpisodeRecord, ...]:
    """All records of a run, in order.

    Args:
        folder: Of the run, as `sregym run` named it.

    Raises:
        UsageError: The folder holds no run, or a file of it is damaged.
    """
    return tuple(read_run(folder)[1])


def read_episode(path: Path) -> EpisodeRecord:
    """The record of one episode.

    Args:
        path: Its folder, or the record's file.

    Raises:
        UsageError: There is no record, or it is damaged.
    """
    file = path / "record.json" if path.is_dir() else path
    if not file.is_file():
        msg = f"{str(path)!r} is no episode: it has no record.json"
        inside = sorted(found.parent.name for found in path.glob("episodes/*/record.json"))
        if inside:
            msg = f"{str(path)!r} is a run; name one of its episodes: {', '.join(f'episodes/{name}' for name in inside)}"
        raise UsageError(msg)
    return _read(file)


def read_run(path: Path) -> tuple[dict[str, Any], list[EpisodeRecord]]:
    """A run's head and all records in order.

    Raises:
        UsageError: The folder holds no run, or a file of it is damaged.
    """
    head = read_head(path)
    files = sorted((path / "episodes").glob("*/record.json"))
    return head, [_read(file) for file in files]


def read_head(path: Path) -> dict[str, Any]:
    """What `run.json` of a run says.

    Raises:
        UsageError: The folder holds no run, or the file is damaged.
    """
    head_file = path / "run.json"
    if not head_file.is_file():
        msg = (
            f"{str(path)!r} is no run: it has no run.json; give the folder that `sregym run` named"
        )
        raise UsageError(msg)
    try:
        head = json.loads(contents(head_file))
    except ValueError as error:
        msg = f"{str(head_file)!r} is damaged: {error}"
        raise UsageError(msg) from error
    missing = [name for name in _HEAD if name not in head] if isinstance(head, dict) else [*_HEAD]
    if missing:
        msg = f"{str(head_file)!r} is damaged: it has no {', '.join(map(repr, missing))}"
        raise UsageError(msg)
    found: dict[str, Any] = head
    return found


def _read(file: Path) -> EpisodeRecord:
    try:
        return EpisodeRecord.model_validate_json(contents(file))
    except ValidationError as error:
        wrong = explain(error, EpisodeRecord, None)
        raise UsageError(f"{str(file)!r} is damaged: {wrong}") from error
