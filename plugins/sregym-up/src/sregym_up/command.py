"""`sregym up`: a broken world for a person or any agent."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError, WorldError
from sregym_runs import episode_summary, options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from sregym_core.api import Environment, Workspace
    from sregym_core.interfaces import Agent
    from sregym_core.model import EpisodeRecord, Problem

    from sregym_up.announce import Announcer
    from sregym_up.reveal import Revealed


class Up(Subcommand):
    """Puts up one broken world and grades what is submitted."""

    name: ClassVar[str] = "up"
    summary: ClassVar[str] = "start a broken cluster for you or any agent to repair"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym up missing_service_hotel_reservation",
        "sregym up --application hotel-reservation",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "problem", nargs="?", metavar="PROBLEM", help="problem id, or a file (.yaml)"
        )
        parser.add_argument(
            "--application",
            metavar="NAME",
            help="put up this application in place of a problem: healthy, until Ctrl-C",
        )
        options.add_cluster(parser)
        parser.add_argument(
            "--agent",
            default="human",
            metavar="NAME",
            help="adapter that waits for clients (default: human)",
        )
        options.add_mode(parser)
        options.add_noise(parser)
        options.add_budget(parser, episode_s=None, wall_s=None)
        # Worlds differ from one call to the next.
        told = "seed of the world (default: a new one, printed with the verdict)"
        parser.add_argument("--seed", type=int, metavar="N", help=told)
        parser.add_argument(
            "--folder",
            type=Path,
            default=Path("sregym-session"),
            metavar="FOLDER",
            help="folder of the session, with its kubeconfig (default: sregym-session)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=0,
            metavar="N",
            help="port of the Kubernetes API (default: a free one)",
        )
        parser.add_argument(
            "--record",
            type=Path,
            metavar="FILE",
            help="file for the record of the episode, for `sregym audit`",
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help="print JSON: one line when ready, one with the verdict",
        )
        parser.add_argument(
            "--reveal",
            action="store_true",
            help="also give an address of the dashboard that tells what is broken",
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play one episode with an adapter that waits for submissions from outside."""
        from sregym_agents.session_folder import claim_folder
        from sregym_core.api import (
            Environment,
            Workspace,
            check_start,
            random_seed,
        )
        from sregym_core.interfaces import AgentDescription

        from sregym_up.announce import Announcer
        from sregym_up.healthy import check_alone, run_healthy

        workspace = Workspace(self.settings)
        if arguments.application:
            check_alone(arguments)
            return run_healthy(self.console, workspace, arguments)
        if not arguments.problem:
            msg = "up: name a problem (see: sregym problems), or a healthy --application NAME"
            raise UsageError(msg)
        factory = workspace.factory
        mode = workspace.mode(arguments.mode)
        check_start(mode, arguments.start_before)
        (problem,) = options.with_noise_options(
            (options.chosen_problem(factory, arguments.problem),),
            arguments.noise,
            arguments.noise_level,
        )
        agent = factory.agent(arguments.agent)
        folder = arguments.folder.absolute()
        claim_folder(folder)
        revealing = _revealed(workspace, problem) if arguments.reveal else nullcontext()
        with workspace, revealing as revealed:

            def firing() -> Mapping[str, Any] | None:
                return environment.cluster.operations.firing()

            announcer = Announcer(
                self.console, arguments.json, revealed, firing, watching=mode.watching
            )
            environment = Environment(
                problem,
                seed=random_seed() if arguments.seed is None else arguments.seed,
                mode=arguments.mode,
                cluster=arguments.cluster,
                cluster_options={"port": str(arguments.port)} if arguments.port else {},
                budget=options.budget(arguments),
                start_before_s=arguments.start_before,
                agent=AgentDescription.of(agent),
                episode=folder.name,
                # The undo journal tells what was broken: it is kept out of the folder that is
                # handed out.
                session_folder=folder,
                on_event=announcer.listen,
                workspace=workspace,
            )
            with environment:
                record, interrupted = _played(environment, agent)
        return self._told(arguments, announcer, record, interrupted)

    def _told(
        self,
        arguments: argparse.Namespace,
        announcer: Announcer,
        record: EpisodeRecord,
        interrupted: bool,
    ) -> ExitCode:
        """Write the record where it is wanted, and say how it ended."""
        from sregym_core.model import Outcome
        from sregym_core.sealing import replace_file

        if arguments.record is not None:
            text = json.dumps(record.model_dump(mode="json"), indent=2, sort_keys=True)
            replace_file(arguments.record, f"{text}\n".encode())
        summary = episode_summary(record)
        # The reader of this output may be the agent: the problem is not named.
        del summary["problem"]
        if arguments.json:
            self.console.json(summary, one_line=True)
        else:
            announcer.verdict(summary, interrupted=interrupted)
        if interrupted:
            return ExitCode.INTERRUPTED
        return ExitCode.DONE if record.outcome is Outcome.PASS else ExitCode.FAILED


def _played(environment: Environment, agent: Agent) -> tuple[EpisodeRecord, bool]:
    """The record of one episode, and whether the user ended it by Ctrl-C."""
    interrupted = False
    try:
        environment.reset()
        environment.act(agent.run)
    except KeyboardInterrupt:
        interrupted = True
    except WorldError:
        if environment.record is None:
            raise
    if environment.record is not None:
        return environment.record, interrupted
    try:
        return environment.end(), interrupted
    except KeyboardInterrupt:
        if environment.record is None:
            raise
        return environment.record, True


def _revealed(workspace: Workspace, problem: Problem) -> Revealed:
    from sregym_core.api import solution

    from sregym_up.reveal import Revealed, causes

    return Revealed(causes(solution(problem, workspace=workspace)))
