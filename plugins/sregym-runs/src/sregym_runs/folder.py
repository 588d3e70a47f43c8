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

from sregym_core.errors import UsageError
from sregym_core.model import Outcome
from sregym_core.records import files_in, write_json
from sregym_core.sealing import Seal, replace_file

from sregym_runs.noise_scores import scores_by_noise_level
from sregym_runs.record_files import read_episode, read_head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sregym_core.interfaces import RunPlan
    from sregym_core.model import EpisodeRecord
    from sregym_core.plugins import PluginStatus

    from sregym_runs.noise_scores import NoiseScore

FORMAT = 1
_LONG = {"instruction", "alerts", "timeline", "transcript", "requests", "attempts"}


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
                record = read_episode(folder)
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
            yield from files_in(place)

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


def rewrite(run: Path, records: Sequence[EpisodeRecord], changed: EpisodeRecord) -> None:
    """Replace one record of a finished run, and what follows from all of them.

    Args:
        run: The folder; no other process writes to it.
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
