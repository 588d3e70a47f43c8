"""Going on with a run that did not come to its end: what it was, and what of it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.interfaces import Budget
from sregym_core.model import Problem, Timing

from sregym_runs.record_files import read_head
from sregym_runs.request import RunRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.plugins import PluginStatus


def resumed(factory: ComponentFactory, path: Path, jobs: int) -> RunRequest:
    """The request of a run that is to be gone on with.

    Args:
        factory: What episodes are put together from.
        path: Folder of the run.
        jobs: How many episodes at once; that changes no episode.

    Raises:
        UsageError: The folder holds no run, or one that cannot be gone on with.
    """
    head = read_head(path)
    try:
        rest = head["request"]
        seeds = [int(seed) for seed in head["seeds"]]
        files = rest.get(
            "definitions", {}
        )  # not there in runs of earlier versions, as other fields
        chosen = [
            Problem.model_validate(files[name]) if name in files else factory.problems.get(name)
            for name in head["problems"]
        ]
        _same_plugins(path, head.get("plugins", []), factory.plugins.statuses())
        timing = rest.get("timing", {})
        levels = rest.get("noise_level", {})
        problems = tuple(
            problem.model_copy(
                update={
                    "noise": tuple(rest["noise"][problem.id]),
                    "noise_level": int(levels.get(problem.id, 0)),
                    "timing": Timing(**timing[problem.id])
                    if problem.id in timing
                    else problem.timing,
                }
            )
            for problem in chosen
        )
        return RunRequest(
            problems=problems,
            agents=tuple(head["agents"]),
            seed=seeds[0],
            attempts=len(seeds),
            cluster=head["cluster"],
            cluster_options=head["cluster_options"],
            agent_options=rest["agent_options"],
            budget=Budget(**rest["budget"]),
            jobs=jobs,
            mode=head["mode"],
            start_before_s=head["start_before_s"],
            noise_levels=tuple(rest.get("noise_levels", ())),
            reward=rest.get("reward", ""),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        msg = (
            f"run {str(path)!r} cannot be gone on with: its run.json does not say with which budget, "
            "noise and options it was begun; play it again with --out"
        )
        raise UsageError(msg) from error


def _same_plugins(
    path: Path, before: Sequence[dict[str, str]], now: Sequence[PluginStatus]
) -> None:
    """Refuse to mix what different versions give in one result."""
    had = {(entry["name"], entry["distribution"]): entry["version"] for entry in before}
    has = {(status.name, status.distribution): status.version for status in now}
    for (name, distribution), version in had.items():
        found = has.get((name, distribution))
        if found != version:
            is_now = "is not installed" if found is None else f"is {found} now"
            msg = (
                f"run {str(path)!r} was begun with {distribution} {version}, which {is_now}: its "
                "episodes would not compare; install that version, or play it again with --out"
            )
            raise UsageError(msg)
