"""Options that several subcommands share, and how their values are read."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_core.conductor import Bench
    from sregym_core.model import Problem


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Which problems."""
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help="problem ids")
    parser.add_argument("--suite", default="", help="all problems of a suite")


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Where they are played."""
    parser.add_argument(
        "--cluster",
        default="embedded",
        metavar="NAME[:OPTION]",
        help="embedded (default), embedded:pace=10, kubeconfig, kubeconfig:CONTEXT",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """How many at once."""
    parser.add_argument(
        "--jobs", type=positive, default=None, help="episodes at once (default: one a processor)"
    )


def positive(text: str) -> int:
    """A whole number from 1."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        msg = f"a whole number from 1 is needed, not {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return number


def processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cluster_choice(text: str) -> tuple[str, dict[str, str]]:
    """Provider and options from `NAME`, `NAME:CONTEXT` or `NAME:key=value,key=value`."""
    name, _, rest = text.partition(":")
    if not rest:
        return name, {}
    if "=" not in rest:
        return name, {"context": rest}
    options = {}
    for part in rest.split(","):
        key, separator, value = part.partition("=")
        if not separator or not key:
            msg = f"--cluster {text!r}: {part!r} is not of the form key=value"
            raise UsageError(msg)
        options[key] = value
    return name, options


def named_values(pairs: list[str], option: str) -> dict[str, str]:
    """A mapping from repeated `name=value` options."""
    values = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator:
            msg = f"{option} {pair!r} is not of the form name=value"
            raise UsageError(msg)
        values[name] = value
    return values


def chosen_problems(bench: Bench, arguments: argparse.Namespace) -> tuple[Problem, ...]:
    """The problems of a command line, checked for playability."""
    problems = tuple(bench.problems.choose(arguments.problems, arguments.suite))
    for problem in problems:
        bench.check(problem)
    return problems


def free_folder(parent: Path) -> Path:
    """A folder for a new run: the lowest free number below `parent`."""
    number = 1
    while (folder := parent / f"run-{number:04d}").exists():
        number += 1
    return folder
