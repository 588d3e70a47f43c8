"""Options of runs and proofs, beside those that all subcommands share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

from sregym_runs import options

if TYPE_CHECKING:
    from sregym_core.conductor import ComponentFactory
    from sregym_core.model import Problem


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """How many at once."""
    parser.add_argument(
        "--jobs",
        type=options.positive,
        default=None,
        metavar="N",
        help="episodes at once (default: one per processor; on a real cluster 1: with more, "
        "each stands in namespaces of its own)",
    )


def usual_jobs(factory: ComponentFactory, cluster: str) -> int:
    """How many at once where nobody says: a real cluster may be small."""
    return processors() if factory.provider(cluster).simulated else 1


def add_timing(parser: argparse.ArgumentParser) -> None:
    """How long problems let the system settle."""
    parser.add_argument(
        "--timing",
        action="append",
        default=[],
        metavar="NAME=SECONDS",
        help="a duration in place of that of the problems: warm_up_s, settle_s, repair_s, window_s, "
        "relapse_s; may be given several times",
    )


def timed(problems: tuple[Problem, ...], given: list[str]) -> tuple[Problem, ...]:
    """Problems with other durations.

    Raises:
        UsageError: There is no such duration, or it is no number of seconds.
    """
    from sregym_core.model import Timing

    named = {}
    for name, text in options.named_values(given, "--timing").items():
        if name not in Timing.model_fields:
            known = ", ".join(Timing.model_fields)
            raise UsageError(f"--timing {name}={text}: there is no such duration; known: {known}")
        try:
            named[name] = options.seconds(text)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"--timing {name}={text}: {error}") from error
    return tuple(
        problem.model_copy(update={"timing": problem.timing.model_copy(update=named)})
        for problem in problems
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """Where a run is written."""
    parser.add_argument(
        "--out",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="folder for the records (default: runs/run-NNNN)",
    )


def processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_folder(parent: Path) -> Path:
    """Make the folder of a new run: the lowest free number below `parent`.

    One that cannot be made is given back all the same: whoever writes there says why.
    """
    number = 1
    while True:
        folder = parent / f"run-{number:04d}"
        try:
            # Made, not looked for: several runs may begin in the same moment.
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        except OSError:
            return folder
        else:
            return folder
