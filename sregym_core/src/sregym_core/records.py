"""Folders of runs and episodes: what is in them is read, and an episode's own record written.

    run.json             the plan, all plugin versions, the summary once the run is over
    episodes/ID/         record.json with everything, journal.jsonl of the fault's undo steps

Whole files are written beside their place and moved there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord
from sregym_core.sealing import contents, replace_file

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_core.sealing import Seal

# What a run was about; without it nothing can be told of it.
_HEAD = ("problems", "agents", "seeds", "cluster")


def episode_folder(run: Path, episode: str) -> Path:
    """The folder of one episode of a run, made on demand."""
    folder = run / "episodes" / episode
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def finish_folder(folder: Path, record: EpisodeRecord, seal: Seal | None) -> None:
    """Write the record of an episode that is no part of a run, and what was sealed plain."""
    write_json(folder / "record.json", record.model_dump(mode="json"))
    if seal is not None:
        seal.reveal(files_in(folder))
        seal.drop()


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, without those in folders below it and those that are elsewhere."""
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink()]


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
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        where = f"field {field!r}: " if field else ""
        msg = f"{str(file)!r} is damaged: {where}{first['msg']}"
        raise UsageError(msg) from error


def write_json(path: Path, content: Any, seal: Seal | None = None) -> None:
    """Write a JSON file so that readers see the old or the new one, never half of it."""
    text = (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()
    replace_file(path, text if seal is None else seal.line(text))
