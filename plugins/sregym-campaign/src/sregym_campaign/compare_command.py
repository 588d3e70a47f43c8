"""`sregym compare`: two campaigns or runs beside each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace

    from sregym_statistics import EpisodeFacts

_TOLD = ("a", "b", "difference", "low", "high", "p")


class Compare(Subcommand):
    """Compares two campaigns or runs."""

    name: ClassVar[str] = "compare"
    summary: ClassVar[str] = "compare two campaigns or runs, with confidence intervals"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym compare campaigns/small campaigns/large --agent-a react --agent-b react",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which two, and whose episodes of them."""
        parser.add_argument("a", metavar="A", help="folder or URL of a campaign, or a run's folder")
        parser.add_argument(
            "b", metavar="B", help="another campaign or run, or the same with another agent"
        )
        parser.add_argument(
            "--agent-a",
            metavar="NAME",
            help="agent whose episodes of A count (default: all but the baselines)",
        )
        parser.add_argument(
            "--agent-b",
            metavar="NAME",
            help="agent whose episodes of B count (default: all but the baselines)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Compare them over the problems that both have played."""
        from sregym_core.api import Workspace

        from sregym_statistics import compare

        workspace = Workspace(self.settings)
        a = self._facts(arguments.a, arguments.agent_a, workspace)
        b = self._facts(arguments.b, arguments.agent_b, workspace)
        found = {name: asdict(one) for name, one in compare(a, b).items()}
        if arguments.json:
            self.console.json(
                {name: {key: one[key] for key in _TOLD} for name, one in found.items()}
            )
            return ExitCode.DONE
        rows = [
            (name, *(_shown(one[key]) for key in _TOLD), str(one["problems"]))
            for name, one in found.items()
        ]
        head = ("metric", "a", "b", "difference", "low", "high", "p", "problems")
        self.console.table(head, rows)
        return ExitCode.DONE

    def _facts(self, url: str, agent: str | None, workspace: Workspace) -> list[EpisodeFacts]:
        from sregym_campaign.content import collected

        content = collected(url, workspace)
        for one in content.damaged:
            self.console.note(f"warning: record {one.file!r} of {url!r} is left out: {one.why}")
        known = sorted({one.agent for one in content.facts})
        if agent is not None:
            if agent not in known:
                msg = f"{url!r} has no episode of agent {agent!r}; it has: {', '.join(known) or 'none'}"
                raise UsageError(msg)
            return [one for one in content.facts if one.agent == agent]
        baselines = content.plan.baselines if content.plan is not None else ()
        return [one for one in content.facts if one.agent not in baselines]


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}"
