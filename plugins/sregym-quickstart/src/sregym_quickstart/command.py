"""`sregym quickstart`: the whole product in one command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode
from sregym_runs import Run, options, run_options

SUITE = "lite"
AGENTS = ("expert", "restart-loop", "noop")


class Quickstart(Subcommand):
    """Plays a suite with three baseline agents."""

    name: ClassVar[str] = "quickstart"
    summary: ClassVar[str] = "demonstrate everything: a suite, three agents, a report"
    examples: ClassVar[tuple[str, ...]] = ("sregym quickstart",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        run_options.add_jobs(parser)
        run_options.add_out(parser)
        options.add_seed(parser, "of all episodes")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play; fails only when the expert, who knows the answers, does not pass everything."""
        from sregym_core.api import Workspace, problems

        if not arguments.json:
            count = len(problems(suite=SUITE, workspace=Workspace(self.settings)))
            self.console.say(
                f"{count} problems on an embedded Kubernetes cluster, played by an expert who knows "
                "the answers, by an agent that restarts things, and by one that does nothing.\n"
            )
        folder = arguments.out or run_options.free_folder(Path("runs"))
        run = Run(self.settings, self.console)
        parser = argparse.ArgumentParser()
        run.arguments(parser)
        words = ["--suite", SUITE, "--seed", str(arguments.seed), "--out", str(folder)]
        for agent in AGENTS:
            words += ["--agent", agent]
        given = parser.parse_args(words)
        given.jobs, given.json = arguments.jobs, arguments.json
        code = run.run(given)
        if code is ExitCode.INTERRUPTED:
            return code
        return ExitCode.DONE if _expert_passed(folder) else ExitCode.FAILED


def _expert_passed(folder: Path) -> bool:
    from sregym_core.api import Outcome
    from sregym_runs import read_records

    outcomes = [record.outcome for record in read_records(folder) if record.agent == AGENTS[0]]
    return bool(outcomes) and all(outcome is Outcome.PASS for outcome in outcomes)
