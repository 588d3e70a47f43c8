"""`sregym power`: how many attempts a difference needs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse


class PowerCommand(Subcommand):
    """Answers: how many attempts for a difference of 5 points?"""

    name: ClassVar[str] = "power"
    summary: ClassVar[str] = (
        "compute how many attempts it takes to detect a difference between agents"
    )
    examples: ClassVar[tuple[str, ...]] = ("sregym power campaigns/small --points 10",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """By whose results, and which difference."""
        parser.add_argument(
            "folder", metavar="FOLDER", help="folder or URL of a campaign, or folder of a run"
        )
        parser.add_argument("--agent", metavar="NAME", help="only this agent")
        parser.add_argument(
            "--points",
            type=float,
            default=5.0,
            metavar="N",
            help="difference of end-to-end rates, in percentage points (default: 5)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Compute it for each agent."""
        from sregym_core.api import Workspace

        from sregym_campaign.content import collected
        from sregym_statistics import attempts_needed

        if not 0 < arguments.points < 100:
            raise UsageError(f"--points {arguments.points:g}: give a number between 0 and 100")
        facts = collected(arguments.folder, Workspace(self.settings)).facts
        agents = sorted({one.agent for one in facts if one.graded})
        if arguments.agent is not None:
            if arguments.agent not in agents:
                msg = (
                    f"{arguments.folder!r} has no graded episode of agent {arguments.agent!r}; "
                    f"it has: {', '.join(agents) or 'none'}"
                )
                raise UsageError(msg)
            agents = [arguments.agent]
        found = {
            name: attempts_needed(
                [one for one in facts if one.agent == name], arguments.points / 100
            )
            for name in agents
        }
        if arguments.json:
            self.console.json({name: asdict(one) for name, one in found.items()})
            return ExitCode.DONE
        for name, one in found.items():
            self.console.say(
                f"{name}: from {one.rate:.1%}, {arguments.points:g} points take {one.paired:,} paired "
                f"episodes ({one.attempts} attempts at each of {one.problems} problems), or "
                f"{one.unpaired:,} of each agent on different ones"
            )
        return ExitCode.DONE
