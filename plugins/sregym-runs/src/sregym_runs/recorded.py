"""An episode's record, with what its run says of how it was played."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Budget
    from sregym_core.model import EpisodeRecord, Problem


@dataclass(frozen=True)
class Recorded:
    """An episode that was played.

    Attributes:
        record: What happened.
        file: Where it was read from.
        options: What the user gave for the cluster; None where it was not recorded.
        request: What else `run.json` says: budget, noise and timing; empty for an episode that is
            no part of a run.
    """

    record: EpisodeRecord
    file: Path
    options: Mapping[str, str] | None = None
    request: Mapping[str, Any] = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        """The limits of its agent, without that of the wall clock."""
        from dataclasses import replace

        from sregym_core.interfaces import Budget

        given = self.request.get("budget")
        return replace(Budget(**given) if given else Budget(), wall_s=None)

    def problem(self, problem: Problem) -> Problem:
        """A problem with the noise and the timing with which the run played it."""
        from sregym_core.model import Timing

        noise = self.request.get("noise", {}).get(problem.id)
        timing = self.request.get("timing", {}).get(problem.id)
        update: dict[str, Any] = {"noise_level": self.record.noise_level}
        if noise is not None:
            update["noise"] = tuple(noise)
        if timing is not None:
            update["timing"] = Timing(**timing)
        return problem.model_copy(update=update)


def read_recorded(place: str | Path) -> Recorded:
    """The episode in a folder: `RUN/episodes/e0001`, for short `RUN/e0001`, or its `record.json`.

    Raises:
        UsageError: There is none, or a file of it is damaged.
    """
    from sregym_runs.record_files import read_episode, read_head

    given = Path(place)
    short = given.parent / "episodes" / given.name
    folder = short if (short / "record.json").is_file() else given
    record = read_episode(folder)
    file = folder / "record.json" if folder.is_dir() else folder
    run = file.absolute().parent.parent.parent
    if not (run / "run.json").is_file():
        return Recorded(record, file)
    head = read_head(run)
    found = Recorded(record, file, head.get("cluster_options"), head.get("request") or {})
    try:
        _ = found.budget
    except TypeError as error:
        msg = f"{str(run / 'run.json')!r} is damaged: its budget: {error}"
        raise UsageError(msg) from error
    return found
