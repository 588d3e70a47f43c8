"""`sregym run`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

from sregym_runs import options, run_options
from sregym_runs.summary import episode_summary

if TYPE_CHECKING:
    import argparse

    from sregym_core.conductor import ComponentFactory
    from sregym_core.interfaces import Reporter

    from sregym_runs.request import RunRequest


class Run(Subcommand):
    """Lets agents play problems."""

    name: ClassVar[str] = "run"
    summary: ClassVar[str] = "run agents on problems, and grade them"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym run missing_service_hotel_reservation --agent expert",
        "sregym run --suite lite --agent react --attempts 3 --jobs 4",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        options.add_selection(parser)
        options.add_cluster(parser)
        run_options.add_jobs(parser)
        told = "leave applications on a real cluster, for the next run"
        parser.add_argument("--keep", action="store_true", help=told)
        run_options.add_timing(parser)
        parser.add_argument(
            "--agent",
            action="append",
            default=[],
            metavar="NAME",
            help="agent to run; may be given several times",
        )
        options.add_agent_options(parser)
        options.add_seed(parser, "of the first attempt")
        parser.add_argument(
            "--attempts",
            type=options.positive,
            default=1,
            metavar="N",
            help="episodes of each agent in each problem (default: 1)",
        )
        options.add_noise(parser, several=True)
        options.add_mode(parser)
        options.add_budget(parser, episode_s=1800.0, wall_s=1800.0)
        parser.add_argument(
            "--reward",
            default="",
            metavar="NAME[:WEIGHT=NUMBER,...]",
            help="record the reward of each episode, for trainers: outcome, stages, "
            "shaped:step=0.01",
        )
        run_options.add_out(parser)
        parser.add_argument(
            "--report",
            action="append",
            default=None,
            metavar="NAME",
            help="reporter; may be given several times (default: console, html)",
        )
        parser.add_argument(
            "--resume",
            type=Path,
            metavar="RUN",
            help="continue the unfinished run in this folder; of the other options only --jobs, "
            "--report and --json apply",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play and print the result."""
        from sregym_core.conductor import ComponentFactory

        from sregym_runs.playing import check_playable
        from sregym_runs.request import RunRequest

        factory = ComponentFactory(self.settings)
        if arguments.resume is not None:
            return self._resume(factory, arguments)
        if not arguments.agent:
            raise UsageError("no agent was named: give --agent NAME (see: sregym run --help)")
        cluster, cluster_options = options.cluster_choice(arguments.cluster)
        problems = options.chosen_problems(factory, arguments)
        levels = arguments.noise_level or ()
        level = levels[0] if levels else None
        problems = options.with_noise_options(problems, arguments.noise, level, arguments.suite)
        problems = run_options.timed(problems, arguments.timing)
        request = RunRequest(
            problems=problems,
            agents=tuple(dict.fromkeys(arguments.agent)),
            seed=arguments.seed,
            attempts=arguments.attempts,
            cluster=cluster,
            cluster_options=cluster_options,
            agent_options=options.named_values(arguments.agent_option, "--agent-option"),
            budget=options.budget(arguments),
            mode=arguments.mode,
            start_before_s=arguments.start_before,
            jobs=arguments.jobs or run_options.usual_jobs(factory, cluster),
            keep=arguments.keep,
            noise_levels=levels if len(levels) > 1 else (),
            reward=arguments.reward,
        )
        names = arguments.report if arguments.report is not None else default_reporters(factory)
        reporters = make_reporters(factory, names, quiet=arguments.json)
        check_playable(factory, request)
        folder = arguments.out or run_options.free_folder(Path("runs"))
        return play(self, factory, request, folder, reporters, as_json=arguments.json)

    def _resume(self, factory: ComponentFactory, arguments: argparse.Namespace) -> ExitCode:
        from sregym_runs.playing import check_playable
        from sregym_runs.resuming import resumed

        for name in (
            "problems",
            "suite",
            "agent",
            "agent_option",
            "noise",
            "noise_level",
            "reward",
            "out",
        ):
            if getattr(arguments, name) not in (None, "", []):
                word = name.upper() if name == "problems" else f"--{name.replace('_', '-')}"
                msg = f"--resume goes on with what the run was begun with; leave out {word.removesuffix('S')}"
                raise UsageError(msg)
        request = resumed(factory, arguments.resume, arguments.jobs or 1)
        if arguments.jobs is None:
            request = replace(request, jobs=run_options.usual_jobs(factory, request.cluster))
        check_playable(factory, request)
        names = arguments.report if arguments.report is not None else default_reporters(factory)
        reporters = make_reporters(factory, names, quiet=arguments.json)
        return play(
            self, factory, request, arguments.resume, reporters, as_json=arguments.json, resume=True
        )


def default_reporters(factory: ComponentFactory) -> list[str]:
    """Those of the usual reporters that are installed."""
    installed = factory.registry.names("reporter")
    return [name for name in ("console", "html") if name in installed]


def make_reporters(factory: ComponentFactory, names: list[str], *, quiet: bool) -> list[Reporter]:
    """Reporters by name; with `quiet`, none that writes to the terminal."""
    return [
        factory.registry.make("reporter", name)
        for name in names
        if not (quiet and name == "console")
    ]


def play(
    command: Subcommand,
    factory: ComponentFactory,
    request: RunRequest,
    path: Path,
    reporters: list[Reporter],
    *,
    as_json: bool,
    resume: bool = False,
) -> ExitCode:
    """Play a run and print its result as lines or as JSON."""
    from sregym_core.conductor.attribution import blamed
    from sregym_core.model import Outcome

    from sregym_runs.folder import RunFolder, summarise
    from sregym_runs.playing import RunInterrupted, play_run, unfinished
    from sregym_runs.reporters import ReporterSet

    folder = RunFolder(path, resume=resume)
    kept = folder.keep(lambda record: not unfinished(record)) if resume else []
    audience = ReporterSet(reporters, lambda error: blamed(error, factory.registry))
    interrupted = False
    try:
        records = play_run(factory, request, folder, audience, kept)
    except RunInterrupted as interruption:
        records, interrupted = interruption.records, True
    if as_json:
        episodes = [episode_summary(record) for record in records]
        command.console.json(
            {"run": str(path), "episodes": episodes, "summary": summarise(records)}
        )
    else:
        if not any(reporter.name == "console" for reporter in reporters):
            for record in records:
                line = f"{record.problem}  {record.agent}  {record.outcome}  {record.reason}"
                command.console.say(line)
        command.console.say(f"records: {path}")
        for file in audience.files:
            command.console.say(f"report: {file}")
    for warning in audience.warnings:
        command.console.note(f"warning: {warning}")
    if interrupted:
        command.console.note(f"interrupted; what was playing is recovered and recorded in {path}")
        return ExitCode.INTERRUPTED
    good = all(record.outcome in (Outcome.PASS, Outcome.SKIP) for record in records)
    return ExitCode.DONE if good else ExitCode.FAILED
