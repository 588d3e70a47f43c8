"""`sregym sample`."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError
from sregym_runs import options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator, Iterator, Sequence

    from sregym_core.api import Problem, Workspace


class Sample(Subcommand):
    """Makes a suite of pairs."""

    name: ClassVar[str] = "sample"
    summary: ClassVar[str] = (
        "generate a suite of problems: faults on fitting targets, alone and combined"
    )
    examples: ClassVar[tuple[str, ...]] = (
        "sregym sample --count 50 --seed 1 --out suite",
        "sregym sample --mode gray --no-prove",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "--count", type=options.positive, default=20, metavar="N", help="problems (default: 20)"
        )
        options.add_seed(parser, "of the suite: the same seed makes the same one")
        parser.add_argument(
            "--mode", default="", help="only problems with this failure mode: gray ..."
        )
        parser.add_argument(
            "--application", default="", metavar="NAME", help="only problems of this application"
        )
        parser.add_argument(
            "--prove",
            action=BooleanOptionalAction,
            default=True,
            help="prove each in its world of seed 0, which takes seconds, and leave out those that are "
            "not proved (the default); with --no-prove they are listed at once",
        )
        parser.add_argument(
            "--jobs",
            type=options.positive,
            metavar="N",
            help="problems proved at once (default: one per processor)",
        )
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="write problem files, for verify and run"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Make and print them; each is written as soon as it is there."""
        from sregym_core.api import Workspace

        from sregym_sample.sampling import Sampler

        if arguments.out is not None:
            check_empty(arguments.out)
        found: list[Problem] = []
        interrupted = False
        with Workspace(self.settings) as workspace:
            asked = (arguments.seed, arguments.mode, arguments.application)
            made = Sampler(workspace, *asked).problems()
            if arguments.prove:
                made = self._proved(made, workspace, arguments.count, arguments.jobs)
            try:
                for _, problem in zip(range(arguments.count), made, strict=False):
                    found.append(problem)
                    if arguments.out is not None:
                        write(problem, arguments.out, len(found))
            except KeyboardInterrupt:
                interrupted = True
            finally:
                made.close()
        self._tell(found, arguments, interrupted)
        return ExitCode.INTERRUPTED if interrupted else ExitCode.DONE

    def _tell(
        self, found: Sequence[Problem], arguments: argparse.Namespace, interrupted: bool
    ) -> None:
        if interrupted:
            self.console.note(f"interrupted: {len(found)} of {arguments.count} problems are there")
        elif len(found) < arguments.count:
            self.console.note(f"there are no more than {len(found)} of that kind")
        if not arguments.prove:
            self.console.note("none of them is proved; sregym verify proves files of problems")
        if arguments.json:
            self.console.json([_plain(problem) for problem in found])
        else:
            rows = [(problem.id, ",".join(problem.modes), problem.title) for problem in found]
            self.console.table(("PROBLEM", "MODES", "TITLE"), rows)

    def _proved(
        self, made: Iterator[Problem], workspace: Workspace, count: int, jobs: int | None
    ) -> Generator[Problem, None, None]:
        from sregym_sample.proving import processors, proofs

        proved = 0
        at_once = min(jobs or processors(), count)
        another = partial(type(workspace), self.settings)
        for problem, proof in proofs(made, workspace, another, at_once):
            if proof.proved:
                proved += 1
                self.console.note(
                    f"{proved} of {count}: {problem.id}: proved ({proof.seconds:.1f} s)"
                )
                yield problem
            else:
                why = next((check.detail for check in proof.checks if not check.ok), "no check")
                self.console.note(f"left out: {problem.id}: {proof.softened or why}")


def _plain(problem: Problem) -> dict[str, Any]:
    """What a problem file says: without defaults, targets as they are named."""
    return problem.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def check_empty(folder: Path) -> None:
    """Refuse a folder in which problems of another suite would stand beside those of this one.

    Raises:
        UsageError: It holds problem files.
    """
    there = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    if there:
        msg = (
            f"folder {str(folder)!r} holds {there[0].name}, which would be taken for a part of the suite; "
            "empty it, or choose another with --out"
        )
        raise UsageError(msg)


def write(problem: Problem, folder: Path, number: int) -> None:
    """Write a problem to a file of its own, `001.yaml` for the first.

    Raises:
        UsageError: The folder cannot be written.
    """
    import yaml

    text = yaml.safe_dump(_plain(problem), sort_keys=False, allow_unicode=True, width=100)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:03d}.yaml").write_text(text, encoding="utf-8")
    except OSError as error:
        msg = (
            f"folder {str(folder)!r} cannot be written: {error.strerror}; choose another with --out"
        )
        raise UsageError(msg) from error
