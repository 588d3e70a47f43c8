"""Finished runs whose diagnoses are judged once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.rewarding import rewarded
from sregym_core.error_location import format_with_location
from sregym_core.errors import UsageError

from sregym_runs.folder import rewrite
from sregym_runs.judgements import add_judgement, lock_run, to_judge
from sregym_runs.record_files import read_head, read_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sregym_core.api.workspace import Workspace
    from sregym_core.model import Component, EpisodeRecord, Judgement


class FinishedRun:
    """The records of a run that has come to its end.

    Args:
        folder: The run's.
        workspace: The workspace with the rewards and problems that it was played with.

    Raises:
        UsageError: It is no run, or its reward is not installed.
    """

    def __init__(self, folder: Path, workspace: Workspace) -> None:
        self._folder = folder
        self._workspace = workspace
        named = read_head(folder).get("request", {}).get("reward", "")
        # What the run's episodes are worth to a trainer, with the weights that it was begun with.
        self._reward = workspace.reward(named) if named else None

    def held(self) -> AbstractContextManager[None]:
        """Hold the run's lock, so that no other process writes to it.

        Raises:
            UsageError: It has not come to its end, or another process writes to it.
        """
        return lock_run(self._folder)

    def to_judge(self, *, every: bool) -> list[EpisodeRecord]:
        """Episodes with a diagnosis that can be judged, as they stand in the run now.

        Args:
            every: All that were submitted, not the undecided alone.
        """
        return to_judge(read_run(self._folder)[1], every=every)

    def components(self, record: EpisodeRecord) -> Sequence[Component]:
        """Those of the problem's application; none where it is not known here."""
        factory = self._workspace.factory
        try:
            problem = factory.problems.get(record.problem)
            return factory.application(problem.application).components()
        except UsageError:
            return ()

    def keep(self, record: EpisodeRecord, judgement: Judgement) -> None:
        """Write the record with one more judgement, and with what it is worth by that.

        The judgement counts from now on; one that is an error is kept, and changes nothing.
        """
        _, records = read_run(self._folder)
        changed = rewarded(
            add_judgement(record, judgement),
            self._reward,
            lambda: record.truths,
            format_with_location,
        )
        kept = [changed if one.episode == record.episode else one for one in records]
        rewrite(self._folder, kept, changed)
