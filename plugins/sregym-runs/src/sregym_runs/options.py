"""Options that several subcommands share, and how their values are read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.cli import cluster_choice as cluster_choice
from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.conductor import ComponentFactory
    from sregym_core.interfaces import Budget
    from sregym_core.model import Problem


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Which problems."""
    parser.add_argument(
        "problems", nargs="*", metavar="PROBLEM", help="problem ids, or files (.yaml)"
    )
    parser.add_argument("--suite", default="", metavar="NAME", help="all problems of a suite")


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Where they are played."""
    parser.add_argument(
        "--cluster",
        default="embedded",
        metavar="NAME[:OPTION]",
        help="embedded (default), embedded:pace=10, kubeconfig, kubeconfig:CONTEXT",
    )


def add_seed(parser: argparse.ArgumentParser, whose: str) -> None:
    """From what all chance derives."""
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help=f"seed {whose} (default: 0)"
    )


def add_noise(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """What disturbs besides the fault; `several` levels one after the other, where it makes sense."""
    again = "; several as 0,2 or 0..3, everything is played at each" if several else ""
    parser.add_argument(
        "--noise-level",
        type=noise_levels if several else noise_level,
        default=None,
        metavar="LEVEL",
        help="0 (none) to 3: how much noise from a mixture of all installed sources (default: that "
        f"of the suite or problem){again}",
    )
    parser.add_argument(
        "--noise",
        action="append",
        default=[],
        metavar="NAME[=LEVEL]",
        help="a source of noise, with a level from 0 to 3 (default: 1); may be given several times; "
        "see: sregym noise",
    )


def noise_level(text: str) -> int:
    """A level of noise."""
    from sregym_core.model.noise_setting import LEVELS

    if text.isdecimal() and int(text) in LEVELS:
        return int(text)
    raise argparse.ArgumentTypeError(f"a level from 0 to 3 is needed, not {text!r}")


def noise_levels(text: str) -> tuple[int, ...]:
    """Levels of noise: `2`, `0,2` or `0..3`."""
    first, separator, last = text.partition("..")
    if separator:
        found = tuple(range(noise_level(first), noise_level(last) + 1))
    else:
        found = tuple(dict.fromkeys(noise_level(word) for word in text.split(",")))
    if not found:
        raise argparse.ArgumentTypeError(f"levels from low to high are needed, not {text!r}")
    return found


def with_noise_options(
    problems: tuple[Problem, ...], named: list[str], level: int | None, suite: str = ""
) -> tuple[Problem, ...]:
    """Problems with the noise of a command line; what it does not say is that of suite and problem.

    Args:
        problems: As they are.
        named: Sources of noise that were named, with or without a level.
        level: How much of a mixture; None where none was given.
        suite: By which they were chosen; empty when by their ids.

    Raises:
        UsageError: What was named is no dose.
    """
    from sregym_core.model.noise_setting import parse_noise
    from sregym_core.model.suites import noise_level_of

    changed: dict[str, object] = {}
    if named:
        changed["noise"] = tuple(str(parse_noise(text)) for text in named)
    if level is None and suite and not named:
        level = noise_level_of(suite)
    if level is not None:
        changed["noise_level"] = level
    return tuple(problem.model_copy(update=changed) for problem in problems)


def add_agent_options(parser: argparse.ArgumentParser) -> None:
    """What agents are given beside the problem."""
    parser.add_argument(
        "--agent-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the agents; may be given several times",
    )


def add_mode(parser: argparse.ArgumentParser) -> None:
    """How episodes are put to an agent."""
    parser.add_argument(
        "--mode",
        default="standard",
        help="standard (default), reactive, proactive, diagnosis-only, mitigation-only or one-shot; "
        "plugins bring more: on-call",
    )
    parser.add_argument(
        "--start-before",
        type=seconds,
        nargs="?",
        const=600.0,
        default=None,
        metavar="SECONDS",
        help="in mode proactive: the agent starts in a healthy system, which breaks within this "
        "time (default: 600)",
    )


def add_budget(
    parser: argparse.ArgumentParser, episode_s: float | None, wall_s: float | None
) -> None:
    """Limits of the agent, with the defaults of two of them."""

    def shown(value: float | None) -> str:
        return "none" if value is None else f"{value:g}"

    parser.add_argument(
        "--steps",
        type=positive,
        default=None,
        metavar="N",
        help="most tool calls in an episode (default: no limit)",
    )
    parser.add_argument(
        "--tokens",
        type=positive,
        default=None,
        metavar="N",
        help="most tokens of the language model in an episode (default: no limit)",
    )
    parser.add_argument(
        "--episode-seconds",
        type=seconds,
        default=episode_s,
        metavar="SECONDS",
        help=f"most seconds of an episode on the clock of its cluster (default: {shown(episode_s)})",
    )
    parser.add_argument(
        "--wall-seconds",
        type=seconds,
        default=wall_s,
        metavar="SECONDS",
        help=f"most seconds of an episode in real time (default: {shown(wall_s)})",
    )


def budget(arguments: argparse.Namespace) -> Budget:
    """The limits of a command line."""
    from sregym_core.interfaces import Budget

    return Budget(
        episode_s=arguments.episode_seconds,
        wall_s=arguments.wall_seconds,
        steps=arguments.steps,
        tokens=arguments.tokens,
    )


def seconds(text: str) -> float:
    """A number of seconds above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        msg = f"a number of seconds above 0 is needed, not {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return number


def positive(text: str) -> int:
    """A whole number from 1."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 is needed, not {text!r}")
    return number


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


def chosen_problems(
    factory: ComponentFactory, arguments: argparse.Namespace
) -> tuple[Problem, ...]:
    """The problems of a command line, checked for playability.

    Words that end in `.yaml` are files with a problem each, as `sregym sample --out` writes them.
    """
    given = arguments.problems
    files = [word for word in given if word.endswith((".yaml", ".yml"))]
    ids = [word for word in given if word not in files]
    problems = tuple(map(problem_of_file, files))
    if ids or arguments.suite or not files:
        problems = (*factory.problems.choose(ids, arguments.suite), *problems)
    for line in not_installed(factory, problems) if arguments.suite else ():
        raise UsageError(f"suite {arguments.suite!r}: {line}")
    for problem in problems:
        factory.check(problem)
    return problems


def chosen_problem(factory: ComponentFactory, word: str) -> Problem:
    """One problem, by its id or of a file, checked for playability."""
    return chosen_problems(factory, argparse.Namespace(problems=[word], suite=""))[0]


def not_installed(factory: ComponentFactory, problems: Sequence[Problem]) -> list[str]:
    """A line about problems that need packages that are not installed; none where all have theirs."""
    lacking = [packages for p in problems if (packages := factory.packages_missing(p))]
    every = " ".join(sorted(frozenset().union(*lacking)))
    which = f"{len(lacking)} of {len(problems)} problems cannot be played without packages that"
    return [f"{which} are not installed: pip install {every}"] if lacking else []


def problem_of_file(name: str) -> Problem:
    """The problem in a file.

    Raises:
        UsageError: It cannot be read, or holds no problem.
    """
    from sregym_core.problems import parse_problem

    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        msg = f"problem file {name!r} cannot be read: {why}"
        raise UsageError(msg) from error
    return parse_problem(text, name)
