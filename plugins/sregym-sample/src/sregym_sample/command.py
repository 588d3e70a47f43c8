"""`sregym sample`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, options
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sregym_core.api import Problem, Workspace


class Sample(Subcommand):
    """Makes a suite of pairs."""

    name: ClassVar[str] = "sample"
    summary: ClassVar[str] = (
        "generate a suite of problems: faults on fitting targets, alone and combined"
    )
    examples: ClassVar[tuple[str, ...]] = (
        "sregym sample --count 50 --seed 1 --out suite",
        "sregym sample --mode gray --prove",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "--count", type=options.positive, default=20, metavar="N", help="problems (default 20)"
        )
        options.add_seed(parser, "of the suite: the same seed makes the same one")
        parser.add_argument(
            "--mode", default="", help="only problems that fail in this way: gray ..."
        )
        parser.add_argument("--application", default="", metavar="NAME", help="only of this one")
        parser.add_argument(
            "--prove",
            action="store_true",
            help="prove each, and leave out those that are not proved; takes seconds each",
        )
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="write problem files, for verify and run"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Make and print them."""
        from sregym_core.api import Workspace

        from sregym_sample.sampling import Sampler

        with Workspace(self.settings) as workspace:
            asked = (arguments.seed, arguments.mode, arguments.application)
            made = Sampler(workspace, *asked).problems()
            if arguments.prove:
                made = self._proved(made, workspace)
            found = [problem for _, problem in zip(range(arguments.count), made, strict=False)]
        if len(found) < arguments.count:
            self.console.note(f"there are no more than {len(found)} of that kind")
        if arguments.out is not None:
            write(found, arguments.out)
        if arguments.json:
            self.console.json([_plain(problem) for problem in found])
        else:
            rows = [(problem.id, ",".join(problem.modes), problem.title) for problem in found]
            self.console.table(("PROBLEM", "MODES", "TITLE"), rows)
        return ExitCode.DONE

    def _proved(self, made: Iterator[Problem], workspace: Workspace) -> Iterator[Problem]:
        from sregym_core.api import verify

        for problem in made:
            proof = verify(problem, workspace=workspace)
            if proof.proved:
                yield problem
            else:
                why = next(check.detail for check in proof.checks if not check.ok)
                self.console.note(f"left out: {problem.id}: {proof.softened or why}")


def _plain(problem: Problem) -> dict[str, Any]:
    """What a problem file says: without defaults, targets as they are named."""
    return problem.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def write(problems: list[Problem], folder: Path) -> None:
    """Write each to a file of its own.

    Raises:
        UsageError: The folder cannot be written.
    """
    import yaml

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, problem in enumerate(problems, 1):
            text = yaml.safe_dump(_plain(problem), sort_keys=False, allow_unicode=True, width=100)
            (folder / f"{number:03d}.yaml").write_text(text, encoding="utf-8")
    except OSError as error:
        msg = (
            f"folder {str(folder)!r} cannot be written: {error.strerror}; choose another with --out"
        )
        raise UsageError(msg) from error
