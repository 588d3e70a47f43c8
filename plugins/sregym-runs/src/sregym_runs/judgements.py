"""Diagnoses of a finished run that are judged again, by another judge or by a person."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.model import Judgement, Outcome, outcome_of

from sregym_runs.record_files import read_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sregym_core.model import EpisodeRecord


def to_judge(records: Sequence[EpisodeRecord], *, every: bool) -> list[EpisodeRecord]:
    """Episodes with a diagnosis that can be judged: the undecided ones, or all that were submitted."""
    return [
        record
        for record in records
        if record.truths
        and record.diagnosis is not None
        and record.diagnosis.submitted_at_s is not None
        and (every or record.diagnosis.verdict.outcome is Outcome.UNDECIDED)
    ]


def add_judgement(record: EpisodeRecord, judgement: Judgement) -> EpisodeRecord:
    """The record with one more judgement of the diagnosis, which counts from now on.

    A judgement that is an error is kept, and changes nothing. Nor is an episode whose world was not
    right decided by it.
    """
    stage = record.diagnosis
    if stage is None:
        msg = f"episode {record.episode!r} has no diagnosis"
        raise ValueError(msg)
    before = stage.judgements or (Judgement(verdict=stage.verdict),)
    counts = judgement.verdict.outcome is not Outcome.ERROR
    verdict = judgement.verdict if counts else stage.verdict
    changed = {"verdict": verdict, "judgements": (*before, judgement)}
    diagnosis = stage.model_copy(update=changed)
    world = record.reason if _of_the_world(record) else ""
    outcome, reason = outcome_of(world, diagnosis, record.mitigation)
    return record.model_copy(update={"diagnosis": diagnosis, "outcome": outcome, "reason": reason})


def _of_the_world(record: EpisodeRecord) -> bool:
    stages = [stage for stage in (record.diagnosis, record.mitigation) if stage is not None]
    blamed = any(stage.verdict.outcome is Outcome.ERROR for stage in stages)
    return record.outcome is Outcome.ERROR and not blamed


@contextmanager
def lock_run(run: Path) -> Iterator[None]:
    """Hold the run's lock, so that no other process writes to it.

    Raises:
        UsageError: It is no run, has not come to its end, or another process writes to it.
    """
    if read_head(run).get("summary") is None:
        msg = f"the run in {str(run)!r} has not come to its end; go on with it: sregym run --resume {run}"
        raise UsageError(msg)
    lock = os.open(run, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            msg = f"another process writes to the run in {str(run)!r}; wait until it has ended"
            raise UsageError(msg) from error
        yield
    finally:
        os.close(lock)
