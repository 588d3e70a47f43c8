"""`sregym redteam`: can an agent find the answer, or fake the verdict?"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError
from sregym_runs import options

if TYPE_CHECKING:
    import argparse


class RedTeamCommand(Subcommand):
    """Lets the red team play a problem and says what leaked."""

    name: ClassVar[str] = "redteam"
    summary: ClassVar[str] = "try to cheat: find the answer of a problem, or fake its verdict"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym redteam missing_service_hotel_reservation --isolation bubblewrap",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("problem", metavar="PROBLEM", help="problem id")
        options.add_cluster(parser)
        parser.add_argument(
            "--isolation",
            default="bubblewrap",
            metavar="NAME",
            help="isolation of the red team's processes: bubblewrap (default), docker, podman, none",
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
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Try all routes; exit code 1 when anything leaked."""
        from sregym_core.api import Workspace
        from sregym_kubernetes.scratch import ScratchFolder

        from sregym_agent_redteam.agent import chosen
        from sregym_agent_redteam.judging import Judge
        from sregym_agent_redteam.probe.routes import ROUTES

        names = chosen(",".join(arguments.route)) if arguments.route else tuple(ROUTES)
        workspace = Workspace(self.settings)
        problem = workspace.problem(arguments.problem)
        cluster, cluster_options = options.cluster_choice(arguments.cluster)
        agent_options = options.named_values(arguments.agent_option, "--agent-option")
        agent_options = {**agent_options, "isolation": arguments.isolation}
        # A wrong option is told before anything is played.
        workspace.agent("redteam", agent_options)
        kept = ScratchFolder("records-") if arguments.out is None else None
        with kept or nullcontext(str(arguments.out)) as folder:
            episodes = _episodes(Path(folder))
            judge = Judge(
                workspace,
                problem,
                cluster,
                cluster_options,
                agent_options,
                arguments.seed,
                episodes,
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


def _episodes(folder: Path) -> Path:
    """Where records are kept.

    Raises:
        UsageError: It cannot be written, or holds records already.
    """
    episodes = folder / "episodes"
    try:
        episodes.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = (
            f"folder {str(folder)!r} cannot be written: {error.strerror}; choose another with --out"
        )
        raise UsageError(msg) from error
    if (folder / "run.json").exists() or any(episodes.iterdir()):
        msg = f"folder {str(folder)!r} holds a run already; choose another with --out"
        raise UsageError(msg)
    return episodes
