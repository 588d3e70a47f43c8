"""`sregym export dataset`: plays problems and writes what they could be observed by."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, UsageError, WorldError
from sregym_runs import options

if TYPE_CHECKING:
    from sregym_core.interfaces import Agent
    from sregym_core.model import Problem


class ExportDataset(Subcommand):
    """Writes a data set."""

    name: ClassVar[str] = "export-dataset"
    summary: ClassVar[str] = "write telemetry, objects, causes and transcripts of problems to files"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym export dataset --suite lite --seeds 5 --out dataset",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """What to play, and where it is written."""
        options.add_selection(parser)
        options.add_seed(parser, "of the first case of each problem")
        parser.add_argument(
            "--seeds",
            type=options.positive,
            default=1,
            metavar="N",
            help="cases of each problem, each with the next seed (default: 1)",
        )
        parser.add_argument(
            "--agent",
            metavar="NAME",
            help="agent to run (default: none; time passes for --minutes)",
        )
        options.add_agent_options(parser)
        parser.add_argument(
            "--minutes",
            type=_minutes,
            default=10.0,
            metavar="N",
            help="minutes without any action after the injection was noticed (default: 10)",
        )
        parser.add_argument(
            "--format",
            choices=("parquet", "csv"),
            default="parquet",
            help="format of the files (default: parquet)",
        )
        parser.add_argument(
            "--out",
            type=Path,
            default=Path("dataset"),
            metavar="FOLDER",
            help="folder to write to (default: dataset); cases that it already holds are kept",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: what was written")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play and write, case by case."""
        from sregym_core.api import Workspace

        from sregym_dataset import folder

        factory = Workspace(self.settings).factory
        problems = options.chosen_problems(factory, arguments)
        agent = self._agent(Workspace(factory=factory), arguments)
        root: Path = arguments.out
        try:
            (root / "cases").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"folder {str(root)!r} cannot be written: {error.strerror}; choose another with --out"
            raise UsageError(msg) from error
        written, failed = [], {}
        for problem in problems:
            for seed in range(arguments.seed, arguments.seed + arguments.seeds):
                case = f"{problem.id}-s{seed}" + (f"-{arguments.agent}" if agent else "")
                why = self._case(Workspace(factory=factory), problem, seed, case, arguments)
                if why:
                    failed[case] = why
                else:
                    written.append(case)
        cases = sorted(path.parent.name for path in root.glob(f"cases/*/{folder.LABELS}"))
        about = {
            "problems": [problem.id for problem in problems],
            "cluster": "embedded",
            "plugins": [
                {"distribution": one.distribution, "version": one.version}
                for one in factory.plugins.statuses()
                if one.state == "ok"
            ],
        }
        folder.write_head(root, about, cases)
        told = {"dataset": str(root), "written": written, "failed": failed, "cases": len(cases)}
        if arguments.json:
            self.console.json(told)
        else:
            self.console.say(f"{counted(len(written), 'case')} written, {len(cases)} in {root}")
        return ExitCode.FAILED if failed else ExitCode.DONE

    def _agent(self, workspace: Any, arguments: argparse.Namespace) -> Agent | None:
        if arguments.agent is None:
            return None
        given = options.named_values(arguments.agent_option, "--agent-option")
        agent: Agent = workspace.agent(arguments.agent, given)
        if agent.served:
            msg = f"--agent {arguments.agent}: it acts from outside, where nobody can look at objects meanwhile; choose one that acts in its session"
            raise UsageError(msg)
        return agent

    def _case(
        self,
        workspace: Any,
        problem: Problem,
        seed: int,
        case: str,
        arguments: argparse.Namespace,
    ) -> str:
        """Write one case; returns why it could not be."""
        from sregym_core.interfaces import ClusterError

        from sregym_dataset import folder
        from sregym_dataset.playing import play_case

        if folder.is_there(arguments.out, case):
            return ""
        agent = self._agent(workspace, arguments)
        try:
            played = play_case(workspace, problem, seed, agent=agent, minutes=arguments.minutes)
        except (WorldError, ClusterError) as error:
            self.console.note(f"case {case} is left out: {error}")
            return str(error)
        rows = folder.write_case(arguments.out, case, played, arguments.format)
        if not arguments.json:
            self.console.note(f"{case}: {sum(rows.values())} rows")
        return ""


def _minutes(text: str) -> float:
    """A number of minutes above 0."""
    try:
        return options.seconds(text)
    except argparse.ArgumentTypeError as error:
        msg = f"a number of minutes above 0 is needed, not {text!r}"
        raise argparse.ArgumentTypeError(msg) from error
