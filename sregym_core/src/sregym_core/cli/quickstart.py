"""`sregym quickstart`: the whole product in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, options
from sregym_core.cli.play import default_reporters, make_reporters, play
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

SUITE = "lite"
AGENTS = ("expert", "restart-loop", "noop")


class Quickstart(Subcommand):
    """Plays a suite with three baseline agents."""

    name: ClassVar[str] = "quickstart"
    summary: ClassVar[str] = "see the whole thing work: a suite, three agents, a report"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        options.add_jobs(parser)
        options.add_out(parser)
        options.add_seed(parser, "of all episodes")
        parser.add_argument("--json", action="store_true", help="result as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play; fails only when the expert, who knows the answers, does not pass everything."""
        from sregym_core.conductor import Bench, RunRequest, check_playable

        bench = Bench(self.settings)
        request = RunRequest(
            problems=tuple(bench.problems.choose([], SUITE)),
            agents=AGENTS,
            seed=arguments.seed,
            jobs=arguments.jobs or options.processors(),
        )
        if not arguments.json:
            self.console.say(
                f"{len(request.problems)} problems on an embedded Kubernetes cluster, played by an expert who knows "
                "the answers, by an agent that restarts things, and by one that does nothing.\n"
            )
        reporters = make_reporters(bench, default_reporters(bench), quiet=arguments.json)
        check_playable(bench, request)
        folder = arguments.out or options.free_folder(Path("runs"))
        code = play(self, bench, request, folder, reporters, as_json=arguments.json)
        if code is ExitCode.INTERRUPTED:
            return code
        return ExitCode.DONE if _expert_passed(folder) else ExitCode.FAILED


def _expert_passed(folder: Path) -> bool:
    from sregym_core.model import Outcome
    from sregym_core.records import read_run

    _, records = read_run(folder)
    outcomes = [record.outcome for record in records if record.agent == AGENTS[0]]
    return bool(outcomes) and all(outcome is Outcome.PASS for outcome in outcomes)
