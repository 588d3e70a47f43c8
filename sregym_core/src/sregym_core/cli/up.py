"""`sregym up`: a broken world for a person or any agent."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, options
from sregym_core.cli.play import episode_summary
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from sregym_core.cli.reveal import Revealed
    from sregym_core.conductor import Bench
    from sregym_core.model import Problem


class Up(Subcommand):
    """Puts up one broken world and grades what is submitted."""

    name: ClassVar[str] = "up"
    summary: ClassVar[str] = "put up a broken world for you or any agent"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("problem", metavar="PROBLEM", help="problem id")
        options.add_cluster(parser)
        parser.add_argument(
            "--agent", default="human", metavar="NAME", help="adapter that waits (default: human)"
        )
        options.add_mode(parser)
        options.add_budget(parser, episode_s=None, wall_s=None)
        options.add_seed(parser, "of the world")
        parser.add_argument(
            "--folder",
            type=Path,
            default=Path("sregym-session"),
            metavar="FOLDER",
            help="for kubeconfig and the like (default: sregym-session)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=0,
            metavar="N",
            help="of the Kubernetes API (default: a free one)",
        )
        parser.add_argument(
            "--record",
            type=Path,
            metavar="FILE",
            help="where the record is written once it is over, for `sregym audit`",
        )
        parser.add_argument(
            "--json", action="store_true", help="one JSON line when ready, one with the verdict"
        )
        parser.add_argument(
            "--reveal",
            action="store_true",
            help="also give an address of the dashboard that tells what is broken",
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play one episode with an adapter that waits for submissions from outside."""
        from sregym_core.cli.announce import Announcer
        from sregym_core.conductor import Bench, EpisodePlan, EpisodePlayer
        from sregym_core.conductor.worlds import Worlds
        from sregym_core.model import Outcome
        from sregym_core.modes import check_start, mode_named
        from sregym_core.records import write_json
        from sregym_core.sessions import claim_folder

        bench = Bench(self.settings)
        mode = mode_named(arguments.mode)
        check_start(mode, arguments.start_before)
        problem = bench.problems.get(arguments.problem)
        bench.check(problem)
        cluster, cluster_options = options.cluster_choice(arguments.cluster)
        if arguments.port:
            cluster_options["port"] = str(arguments.port)
        folder = arguments.folder.absolute()
        claim_folder(folder)
        plan = EpisodePlan(
            episode=folder.name,
            problem=problem,
            agent=bench.agent(arguments.agent),
            seed=arguments.seed,
            budget=options.budget(arguments),
            mode=mode,
            start_before_s=arguments.start_before,
            # The undo journal tells what was broken: it is kept out of the folder that is handed out.
            folder=None,
            session_folder=folder,
        )
        worlds = Worlds(bench.provider(cluster), cluster_options)
        with _revealed(bench, problem) if arguments.reveal else nullcontext() as revealed:
            announcer = Announcer(self.console, arguments.json, revealed)
            player = EpisodePlayer(bench, worlds, plan, announcer.listen)
            try:
                record = player.play()
            finally:
                worlds.close()
        if player.refusal is not None:
            raise player.refusal
        if arguments.record is not None:
            write_json(arguments.record, record.model_dump(mode="json"))
        summary = episode_summary(record)
        # Whoever sees this output may be the agent: which problem it was stays unsaid.
        del summary["problem"]
        if arguments.json:
            self.console.json(summary, one_line=True)
        else:
            announcer.verdict(summary, interrupted=player.interrupted)
        if player.interrupted:
            return ExitCode.INTERRUPTED
        return ExitCode.DONE if record.outcome is Outcome.PASS else ExitCode.FAILED


def _revealed(bench: Bench, problem: Problem) -> Revealed:
    from sregym_core.cli.reveal import Revealed, causes

    return Revealed(causes(bench, problem))
