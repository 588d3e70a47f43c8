"""Going on with a run that did not come to its end: what it was, and what of it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

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
    has = {(status.name, status.distribution): status for status in now}
    gone: list[str] = []
    for entry in before:
        owner = f"{entry['distribution']} {entry['version']}"
        found = has.get((entry["name"], entry["distribution"]))
        if found is None:
            gone.append(f"{owner}, which is not installed")
        elif found.version != entry["version"]:
            _refuse(path, f"{owner}, which is {found.version} now", "install that version")
        elif entry.get("state", found.state) != found.state:
            why = f" ({found.reason})" if found.reason else ""
            what = f"{owner}, which was {entry['state']} and is {found.state} now{why}"
            _refuse(path, what, "use the same plugins")
    # Last: what is blocked may be what lists those that are missing.
    for what in gone:
        _refuse(path, what, "install that version")


def _refuse(path: Path, what: str, remedy: str) -> NoReturn:
    msg = (
        f"run {str(path)!r} was begun with {what}: its episodes would not compare; {remedy}, or "
        "play it again with --out"
    )
    raise UsageError(msg)
