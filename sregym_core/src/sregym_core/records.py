"""A run's folder: what it holds, and how it is written so that a crash loses nothing.

    run.json             the plan, all plugin versions, the summary once the run is over
    episodes.jsonl       one line an episode, without instruction, alerts, timeline, transcript and
                         requests and attempts
    episodes/ID/         record.json with everything, journal.jsonl of the fault's undo steps

Whole files are written beside their place and moved there; lines are appended and flushed to disk.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sregym_core.interfaces import RunPlan
    from sregym_core.plugins import PluginStatus

FORMAT = 1
_LONG = {"instruction", "alerts", "timeline", "transcript", "requests", "attempts"}
# What a run was about; without it nothing can be told of it.
_HEAD = ("problems", "agents", "seeds", "cluster")


class RunFolder:
    """Writes one run.

    Args:
        path: The folder; made when missing, refused when it holds another run.

    Raises:
        UsageError: It cannot be written, or holds a run already.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / "episodes").mkdir(exist_ok=True)
        except OSError as error:
            msg = f"folder {str(path)!r} cannot be written: {error.strerror}; choose another with --out"
            raise UsageError(msg) from error
        if (path / "run.json").exists():
            raise self._taken()

    def _taken(self) -> UsageError:
        return UsageError(
            f"folder {str(self.path)!r} holds a run already; choose another with --out"
        )

    def begin(self, plan: RunPlan, plugins: Sequence[PluginStatus]) -> None:
        """Write down what is going to happen and with which plugins.

        Raises:
            UsageError: Another run began here in the meantime.
        """
        try:
            # Of two that looked in the same moment, one makes it.
            (self.path / "episodes.jsonl").touch(exist_ok=False)
        except FileExistsError as error:
            raise self._taken() from error
        self._head = {
            "format": FORMAT,
            "problems": list(plan.problems),
            "agents": list(plan.agents),
            "seeds": list(plan.seeds),
            "cluster": plan.cluster,
            "cluster_options": dict(plan.cluster_options),
            "mode": plan.mode,
            "start_before_s": plan.start_before_s,
            "plugins": [
                {
                    "name": status.name,
                    "distribution": status.distribution,
                    "version": status.version,
                    "state": status.state,
                }
                for status in plugins
            ],
        }
        write_json(self.path / "run.json", {**self._head, "summary": None})

    def episode_folder(self, episode: str) -> Path:
        """The folder of one episode, made on demand."""
        folder = self.path / "episodes" / episode
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def add(self, record: EpisodeRecord) -> None:
        """Keep an episode's record: the whole in its folder, then its line."""
        folder = self.episode_folder(record.episode)
        write_json(folder / "record.json", record.model_dump(mode="json"))
        line = record.model_dump(mode="json", exclude=_LONG)
        with (self.path / "episodes.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, sort_keys=True) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def finish(self, records: Sequence[EpisodeRecord]) -> None:
        """Write the summary; its absence tells that a run did not come to its end."""
        write_json(self.path / "run.json", {**self._head, "summary": summarise(records)})


def summarise(records: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """Counts by agent; errors are counted apart and never as failures."""
    agents: dict[str, Any] = {}
    for record in records:
        counts = agents.setdefault(
            record.agent,
            {"episodes": 0, "pass": 0, "fail": 0, "error": 0, "diagnosed": 0, "mitigated": 0},
        )
        counts["episodes"] += 1
        counts[str(record.outcome)] += 1
        for name, stage in (("diagnosed", record.diagnosis), ("mitigated", record.mitigation)):
            counts[name] += int(stage is not None and stage.verdict.outcome is Outcome.PASS)
    return {"episodes": len(records), "agents": {name: agents[name] for name in sorted(agents)}}


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
    head_file = path / "run.json"
    if not head_file.is_file():
        msg = (
            f"{str(path)!r} is no run: it has no run.json; give the folder that `sregym run` named"
        )
        raise UsageError(msg)
    try:
        head = json.loads(head_file.read_text(encoding="utf-8"))
    except ValueError as error:
        msg = f"{str(head_file)!r} is damaged: {error}"
        raise UsageError(msg) from error
    missing = [name for name in _HEAD if name not in head] if isinstance(head, dict) else [*_HEAD]
    if missing:
        msg = f"{str(head_file)!r} is damaged: it has no {', '.join(map(repr, missing))}"
        raise UsageError(msg)
    files = sorted((path / "episodes").glob("*/record.json"))
    return head, [_read(file) for file in files]


def _read(file: Path) -> EpisodeRecord:
    try:
        return EpisodeRecord.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        where = f"field {field!r}: " if field else ""
        msg = f"{str(file)!r} is damaged: {where}{first['msg']}"
        raise UsageError(msg) from error


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file so that readers see the old or the new one, never half of it."""
    temporary = path.with_suffix(path.suffix + ".part")
    with temporary.open("w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=2, sort_keys=True)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
