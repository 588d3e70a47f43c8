"""`sregym problems` and `sregym show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Problem


class Problems(Subcommand):
    """Lists problems."""

    name: ClassVar[str] = "problems"
    summary: ClassVar[str] = "list problems"
    examples: ClassVar[tuple[str, ...]] = ("sregym problems --suite lite",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("--suite", default="", metavar="NAME", help="only those of a suite")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them."""
        from sregym_core.api import Workspace
        from sregym_runs.options import not_installed

        workspace = Workspace(self.settings)
        for reasons in workspace.factory.problems.left_out().values():
            for reason in reasons:
                self.console.note(f"left out: {reason}")
        known = workspace.factory.problems
        problems = known.in_suite(arguments.suite) if arguments.suite else known.all()
        for line in not_installed(workspace.factory, problems):
            self.console.note(line)
        if arguments.json:
            self.console.json([_listed(problem, known.suites_of(problem)) for problem in problems])
            return ExitCode.DONE
        rows = [
            (
                problem.id,
                problem.application,
                problem.layer,
                ",".join(known.suites_of(problem)),
                problem.title,
            )
            for problem in problems
        ]
        self.console.table(("PROBLEM", "APPLICATION", "LAYER", "SUITES", "TITLE"), rows)
        return ExitCode.DONE


class Show(Subcommand):
    """Shows one problem."""

    name: ClassVar[str] = "show"
    summary: ClassVar[str] = "show one problem"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym show missing_service_hotel_reservation --reveal",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("problem", metavar="PROBLEM", help="problem id, or a file (.yaml)")
        parser.add_argument(
            "--reveal", action="store_true", help="also show the ground truth and the reference fix"
        )
        parser.add_argument(
            "--mode", default=None, help="also show the instruction that an agent gets in that mode"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print it."""
        from sregym_core.api import Workspace, instruction, solution
        from sregym_runs.options import chosen_problem

        workspace = Workspace(self.settings)
        problem = chosen_problem(workspace.factory, arguments.problem)
        content = problem.model_dump(mode="json")
        installed = arguments.problem == problem.id
        content["plugin"] = (
            workspace.factory.problems.owner(problem.id).owner if installed else None
        )
        if arguments.reveal:
            found = solution(problem, workspace=workspace)
            content["revealed"] = [
                {"ground_truth": truth.model_dump(mode="json"), "reference_fix": list(fix)}
                for truth, fix in zip(found.ground_truths, found.fixes, strict=True)
            ]
        if arguments.mode is not None:
            mode = workspace.mode(arguments.mode)
            content["mode"] = mode.name
            content["instruction"] = instruction(problem, mode.name, workspace=workspace)
        if arguments.json:
            self.console.json(content)
            return ExitCode.DONE
        fixes = [fix for part in content.get("revealed", ()) for fix in part.pop("reference_fix")]
        told = content.pop("instruction", "")
        self.console.say(_as_yaml(content))
        if told:
            self.console.say(f"\n# What an agent is told:\n{told.rstrip()}")
        if fixes:
            self.console.say("\n# The reference fix, as it would be typed:")
        for fix in fixes:
            self.console.say(fix)
        return ExitCode.DONE


def _listed(problem: Problem, suites: tuple[str, ...]) -> dict[str, Any]:
    return {
        "id": problem.id,
        "title": problem.title,
        "application": problem.application,
        "layer": problem.layer,
        "suites": list(suites),
        "modes": [*problem.modes],
        "upstream": problem.upstream or None,
        "source": problem.source or None,
        "faults": [{"fault": ref.fault, "target": ref.target} for ref in problem.faults],
    }


def _as_yaml(content: dict[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)).rstrip()
