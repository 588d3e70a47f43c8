"""Finds the record of an episode and what its run says about the cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError
from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord
from sregym_core.sealing import contents

if TYPE_CHECKING:
    from collections.abc import Mapping


class Recorded(NamedTuple):
    """An episode's record, and the options of its cluster; None where nobody wrote them down."""

    record: EpisodeRecord
    options: Mapping[str, str] | None


def find(place: str) -> Recorded | None:
    """The record at a folder of an episode, `RUN/episodes/e0001` or for short `RUN/e0001`.

    Raises:
        UsageError: A file of it is damaged.
    """
    given = Path(place)
    folders = (given, given.parent / "episodes" / given.name)
    folder = next((one for one in folders if (one / "record.json").is_file()), None)
    if folder is None:
        return None
    file, head = folder / "record.json", folder.parent.parent / "run.json"
    try:
        record = EpisodeRecord.model_validate_json(contents(file))
        run = json.loads(contents(head)) if head.is_file() else {}
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        msg = f"{str(file)!r} is damaged: field {field!r}: {first['msg']}"
        raise UsageError(msg) from error
    except ValueError as error:
        msg = f"{str(head)!r} is damaged: {error}"
        raise UsageError(msg) from error
    return Recorded(record, run.get("cluster_options"))
