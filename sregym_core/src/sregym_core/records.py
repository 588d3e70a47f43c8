"""Files of an episode: written beside their place and moved there, so that no reader sees half of one."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from sregym_core.sealing import replace_file

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_core.interfaces import Access
    from sregym_core.model import EpisodeRecord
    from sregym_core.sealing import Seal


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


def write_json(path: Path, content: Any, seal: Seal | None = None) -> None:
    """Write a JSON file so that readers see the old or the new one, never half of it."""
    text = (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()
    replace_file(path, text if seal is None else seal.line(text))


def keep_log(access: Access, folder: Path, seal: Seal | None = None) -> None:
    """Move what an agent's process wrote to the episode's folder: the session's may not last.

    Other attempts would learn from it, so it is sealed.
    """
    for name in (access.LOG, access.EVENTS):
        log = access.folder / name
        if log.is_file() and access.folder != folder:
            shutil.move(log, folder / name)
            if seal is not None:
                seal.close([folder / name])
