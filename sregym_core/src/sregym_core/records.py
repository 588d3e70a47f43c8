"""A run's folder: what it holds, and how it is written so that a crash loses nothing.

    run.json             the plan, all plugin versions, the summary once the run is over
    episodes.jsonl       one line an episode, without instruction, alerts, timeline, transcript and
                         requests and attempts
    episodes/ID/         record.json with everything, journal.jsonl of the fault's undo steps

Whole files are written beside their place and moved there; lines are appended and flushed to disk.
While the run goes on, the files are sealed: an agent without walls could read them.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord, Outcome
from sregym_core.model.noise_scores import scores_by_noise_level
from sregym_core.model.validation import explain
from sregym_core.sealing import Seal, contents, replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sregym_core.interfaces import RunPlan
    from sregym_core.model.noise_scores import NoiseScore
    from sregym_core.plugins import PluginStatus

FORMAT = 1
_LONG = {"instruction", "alerts", "timeline", "transcript", "requests", "attempts"}
# What a run was about; without it nothing can be told of it.
_HEAD = ("problems", "agents", "seeds", "cluster")


class RunFolder:
    """Writes one run.

    Args:
        path: The folder; made when missing, refused when it holds another run.
        resume: Go on with the run that it holds.

    Attributes:
        seal: By what its files are sealed until `finish`.

    Raises:
        UsageError: It cannot be written, holds a run already, or another process plays it.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self.path = path
        self._resume = resume
        self._lock: int | None = None
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / "episodes").mkdir(exist_ok=True)
        except OSError as error:
            msg = f"folder {str(path)!r} cannot be written: {error.strerror}; choose another with --out"
            raise UsageError(msg) from error
        if not resume and (path / "run.json").exists():
            raise self._taken()
        # Held as long as this process or a worker of it lives, and not longer.
        lock = self._lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._let_go()
            msg = f"another process plays the run in {str(path)!r}; wait until it has ended"
            raise (UsageError(msg) if resume else self._taken()) from error
        self.seal = Seal.of(path / "run.json") or Seal.made()

    def _taken(self) -> UsageError:
        return UsageError(
            f"folder {str(self.path)!r} holds a run already; choose another with --out"
        )

    def begin(
        self,
        plan: RunPlan,
        plugins: Sequence[PluginStatus],
        request: Mapping[str, Any] | None = None,
    ) -> None:
        """Write down what is going to happen and with which plugins.

        Args:
            plan: What is going to happen.
            plugins: All that are installed.
            request: What else is needed to go on with the run one day.

        Raises:
            UsageError: Another run began here in the meantime.
        """
        try:
            # Of two that looked in the same moment, one makes it.
            (self.path / "episodes.jsonl").touch(exist_ok=self._resume)
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
            **({} if request is None else {"request": dict(request)}),
        }
        write_json(self.path / "run.json", {**self._head, "summary": None}, self.seal)

    def keep(self, wanted: Callable[[EpisodeRecord], bool]) -> list[EpisodeRecord]:
        """Of the run that is gone on with, the records that stand; all else is removed.

        What a killed process was writing is no record yet, and is removed with its episode.
        """
        kept = []
        for folder in sorted((self.path / "episodes").iterdir()):
            try:
                record = _read(folder / "record.json")
            except (UsageError, OSError):
                record = None
            if record is not None and record.episode == folder.name and wanted(record):
                kept.append(record)
            else:
                shutil.rmtree(folder, ignore_errors=True)
        self.seal.close(self._files())
        lines = b"".join(self.seal.line(_line(record)) for record in kept)
        replace_file(self.path / "episodes.jsonl", lines)
        return kept

    def episode_folder(self, episode: str) -> Path:
        """The folder of one episode, made on demand."""
        return episode_folder(self.path, episode)

    def add(self, record: EpisodeRecord) -> None:
        """Keep an episode's record: the whole in its folder, then its line."""
        folder = self.episode_folder(record.episode)
        write_json(folder / "record.json", record.model_dump(mode="json"), self.seal)
        with (self.path / "episodes.jsonl").open("ab") as stream:
            stream.write(self.seal.line(_line(record)))
            stream.flush()
            os.fsync(stream.fileno())

    def finish(self, records: Sequence[EpisodeRecord]) -> None:
        """Write all files plain, and the summary.

        Its absence tells that a run did not come to its end.
        """
        self.seal.reveal(self._files())
        write_json(self.path / "run.json", {**self._head, "summary": summarise(records)})
        self.seal.drop()
        self._let_go()

    def _files(self) -> Iterator[Path]:
        for place in (self.path, *sorted((self.path / "episodes").iterdir())):
            yield from _files_in(place)

    def _let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        self._let_go()


def episode_folder(run: Path, episode: str) -> Path:
    """The folder of one episode of a run, made on demand."""
    folder = run / "episodes" / episode
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def finish_folder(folder: Path, record: EpisodeRecord, seal: Seal | None) -> None:
    """Write the record of an episode that is no part of a run, and what was sealed plain."""
    write_json(folder / "record.json", record.model_dump(mode="json"))
    if seal is not None:
        seal.reveal(_files_in(folder))
        seal.drop()


def _files_in(folder: Path) -> list[Path]:
    """The files of a folder, without those in folders below it and those that are elsewhere."""
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink()]


def summarise(records: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """Counts by agent; errors and what a judge left undecided are counted apart, never as failures."""
    agents: dict[str, Any] = {}
    for record in records:
        counts = agents.setdefault(
            record.agent,
            {"episodes": 0, "pass": 0, "fail": 0, "error": 0, "diagnosed": 0, "mitigated": 0},
        )
        counts["episodes"] += 1
        counts[str(record.outcome)] = counts.get(str(record.outcome), 0) + 1
        for name, stage in (("diagnosed", record.diagnosis), ("mitigated", record.mitigation)):
            counts[name] += int(stage is not None and stage.verdict.outcome is Outcome.PASS)
    found = {"episodes": len(records), "agents": {name: agents[name] for name in sorted(agents)}}
    doses = scores_by_noise_level(records)
    return found | {"noise": [_of_dose(dose) for dose in doses]} if doses else found


def _of_dose(dose: NoiseScore) -> dict[str, Any]:
    return {
        "agent": dose.agent,
        "level": dose.level,
        "graded": dose.graded,
        "pass": dose.solved,
        "share": round(dose.share, 4),
        "interval": [round(dose.low, 4), round(dose.high, 4)],
        "blamed": dict(dose.blamed),
    }


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


def rewrite(run: Path, records: Sequence[EpisodeRecord], changed: EpisodeRecord) -> None:
    """Replace one record of a finished run, and what follows from all of them.

    Args:
        run: The folder; nobody else writes to it.
        records: All of the run, with the changed one.
        changed: That one.
    """
    folder = episode_folder(run, changed.episode)
    write_json(folder / "record.json", changed.model_dump(mode="json"))
    replace_file(run / "episodes.jsonl", b"".join(map(_line, records)))
    write_json(run / "run.json", {**read_head(run), "summary": summarise(records)})


def _line(record: EpisodeRecord) -> bytes:
    line = json.dumps(record.model_dump(mode="json", exclude=_LONG), sort_keys=True) + "\n"
    return line.encode()


def _read(file: Path) -> EpisodeRecord:
    try:
        return EpisodeRecord.model_validate_json(contents(file))
    except ValidationError as error:
        wrong = explain(error, EpisodeRecord, None)
        raise UsageError(f"{str(file)!r} is damaged: {wrong}") from error


def write_json(path: Path, content: Any, seal: Seal | None = None) -> None:
    """Write a JSON file so that readers see the old or the new one, never half of it."""
    text = (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()
    replace_file(path, text if seal is None else seal.line(text))
