"""`sregym report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse


class Report(Subcommand):
    """Writes the report of a finished run again."""

    name: ClassVar[str] = "report"
    summary: ClassVar[str] = "write the report of a finished run again"
    examples: ClassVar[tuple[str, ...]] = ("sregym report runs/run-0001",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("run", type=Path, metavar="FOLDER", help="folder of the run")
        parser.add_argument(
            "--report", default="html", metavar="NAME", help="reporter (default: html)"
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Read the records and hand them to the reporter."""
        from sregym_core.conductor import ComponentFactory
        from sregym_core.interfaces import RunPlan

        from sregym_runs.record_files import read_run

        head, records = read_run(arguments.run)
        factory = ComponentFactory(self.settings)
        reporter = factory.registry.load("reporter", arguments.report)()
        plan = RunPlan(
            folder=arguments.run,
            problems=tuple(head["problems"]),
            agents=tuple(head["agents"]),
            seeds=tuple(head["seeds"]),
            cluster=head["cluster"],
            mode=head.get("mode", "standard"),  # runs of older versions do not say it
            start_before_s=head.get("start_before_s"),
            noise_levels=tuple(head.get("request", {}).get("noise_levels", ())),
        )
        reporter.run_started(plan)
        written = reporter.run_finished(plan, tuple(records))
        self.console.say(str(written) if written is not None else counted(len(records), "episode"))
        return ExitCode.DONE
