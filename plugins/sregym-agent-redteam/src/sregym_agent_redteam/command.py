"""`sregym redteam`: can an agent find the answer, or fake the verdict?"""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, options
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse


class RedTeamCommand(Subcommand):
    """Lets the red team play a problem and says what leaked."""

    name: ClassVar[str] = "redteam"
    summary: ClassVar[str] = "try to find the answer or to fake the verdict of a problem"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("problem", metavar="PROBLEM", help="problem id")
        options.add_cluster(parser)
        parser.add_argument(
            "--isolation",
            default="bubblewrap",
            metavar="NAME",
            help="of the red team's processes: bubblewrap (default), docker, podman, none",
        )
        options.add_agent_options(parser)
        parser.add_argument(
            "--route",
            action="append",
            default=[],
            metavar="NAME",
            help="a route to try; may be given several times (default: all)",
        )
        options.add_seed(parser, "of all episodes")
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="where records are kept, for sregym audit"
        )
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Try all routes; exit code 1 when anything leaked."""
        from sregym_core.conductor import Bench
        from sregym_core.records import RunFolder

        from sregym_agent_redteam.agent import chosen
        from sregym_agent_redteam.judging import Judge
        from sregym_agent_redteam.probe.routes import ROUTES

        names = chosen(",".join(arguments.route)) if arguments.route else tuple(ROUTES)
        bench = Bench(self.settings)
        problem = bench.problems.get(arguments.problem)
        bench.check(problem)
        cluster, cluster_options = options.cluster_choice(arguments.cluster)
        agent_options = options.named_values(arguments.agent_option, "--agent-option")
        agent_options = {**agent_options, "isolation": arguments.isolation}
        bench.agent("redteam", agent_options)  # a wrong option is told before anything is played
        kept = tempfile.TemporaryDirectory(prefix="records-") if arguments.out is None else None
        with kept or nullcontext(str(arguments.out)) as folder:
            RunFolder(Path(folder))
            judge = Judge(
                bench,
                problem,
                cluster,
                cluster_options,
                agent_options,
                arguments.seed,
                Path(folder),
            )
            found = []
            for finding in judge.findings(names):
                found.append(finding)
                if not arguments.json:
                    word = "LEAKED" if finding.leaked else "closed"
                    self.console.say(f"{word}  {finding.route:<26}{finding.detail}")
        leaks = [finding for finding in found if finding.leaked]
        if arguments.json:
            self.console.json([asdict(finding) for finding in found])
        else:
            self.console.say(f"\n{len(leaks)} of {len(found)} routes leaked")
        return ExitCode.FAILED if leaks else ExitCode.DONE
