"""A run: many episodes, in this process or in several, one record each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.episode import EpisodePlan, EpisodePlayer
from sregym_core.conductor.workers import Station, Workers
from sregym_core.conductor.worlds import Worlds
from sregym_core.interfaces import Budget, RunPlan
from sregym_core.modes import STANDARD, check_start, mode_named

if TYPE_CHECKING:
    from sregym_core.conductor.bench import Bench
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Reporter
    from sregym_core.model import EpisodeRecord, Problem
    from sregym_core.records import RunFolder


@dataclass(frozen=True)
class RunRequest:
    """What a run is.

    Attributes:
        problems: In the order of play.
        agents: Names, in the order of play.
        seed: Of the first attempt; attempt k has seed + k - 1.
        attempts: How often each pair is played.
        cluster: Name of the provider.
        cluster_options: What the user gave for it.
        agent_options: What the user gave for agents.
        budget: Limits of each agent.
        jobs: How many episodes at once.
        mode: Name of the mode in which episodes are put to agents.
        start_before_s: Agents start in a healthy system, and it breaks within this time; None
            breaks it before they start.
    """

    problems: tuple[Problem, ...]
    agents: tuple[str, ...]
    seed: int = 0
    attempts: int = 1
    cluster: str = "embedded"
    cluster_options: Mapping[str, str] = field(default_factory=dict)
    agent_options: Mapping[str, str] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    jobs: int = 1
    mode: str = STANDARD.name
    start_before_s: float | None = None

    def assignments(self) -> Iterator[Assignment]:
        """All episodes of the run, in order."""
        number = 0
        for problem in self.problems:
            for agent in self.agents:
                for attempt in range(1, self.attempts + 1):
                    number += 1
                    yield Assignment(
                        f"e{number:04d}", problem, agent, self.seed + attempt - 1, attempt
                    )


@dataclass(frozen=True)
class Assignment:
    """One episode of a run, as it is handed to a worker."""

    episode: str
    problem: Problem
    agent: str
    seed: int
    attempt: int


Listener = Callable[[str, "EpisodeEvent"], None]


class RunInterrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C: what was playing is recovered and recorded.

    Attributes:
        records: Of all episodes that were begun.
    """

    def __init__(self, records: Sequence[EpisodeRecord]) -> None:
        super().__init__()
        self.records = tuple(records)


def check_playable(bench: Bench, request: RunRequest) -> None:
    """Refuse a run before anything is written or started.

    Raises:
        UsageError: A problem, an agent with its options, the mode or the cluster cannot be played.
    """
    check_start(mode_named(request.mode), request.start_before_s)
    for problem in request.problems:
        bench.check(problem)
    bench.agents(request.agents, request.agent_options)
    bench.provider(request.cluster).check(request.cluster_options)


def play_run(
    bench: Bench, request: RunRequest, folder: RunFolder, audience: Audience
) -> tuple[EpisodeRecord, ...]:
    """Play all episodes; returns their records in the order of the plan.

    Raises:
        RunInterrupted: The user pressed Ctrl-C.
        UsageError: A problem, agent or cluster cannot be played; nothing was started.
    """
    check_playable(bench, request)
    plan = RunPlan(
        folder=folder.path,
        problems=tuple(problem.id for problem in request.problems),
        agents=request.agents,
        seeds=tuple(range(request.seed, request.seed + request.attempts)),
        cluster=request.cluster,
        cluster_options=request.cluster_options,
        mode=request.mode,
        start_before_s=request.start_before_s,
    )
    folder.begin(plan, bench.plugins.statuses())
    audience.tell("run_started", plan)
    records: dict[str, EpisodeRecord] = {}
    interrupted = False
    # On a real cluster episodes would share namespaces: they are played one after another.
    alone = request.jobs <= 1 or plan.episodes == 1 or not bench.provider(request.cluster).simulated
    play = _play_here if alone else _play_in_processes
    try:
        for record in play(bench, request, folder, audience):
            records[record.episode] = record
            folder.add(record)
            audience.tell("episode_finished", record)
    except KeyboardInterrupt:
        interrupted = True
    ordered = tuple(records[key] for key in sorted(records))
    folder.finish(ordered)
    audience.tell("run_finished", plan, ordered)
    if interrupted:
        raise RunInterrupted(ordered)
    return ordered


class Audience:
    """The reporters of a run: one that raises is dropped with a warning, the run goes on.

    Args:
        reporters: Who is told.
    """

    def __init__(self, reporters: Sequence[Reporter]) -> None:
        self._reporters = list(reporters)
        self.warnings: list[str] = []
        self.files: list[str] = []

    def tell(self, what: str, *arguments: Any) -> None:
        """Call a method of every reporter."""
        for reporter in list(self._reporters):
            try:
                answer = getattr(reporter, what)(*arguments)
            except Exception as error:
                message = f"reporter {reporter.name!r} raised {type(error).__name__}: {error}"
                self.warnings.append(message)
                self._reporters.remove(reporter)
            else:
                if answer is not None:
                    self.files.append(str(answer))

    def listen(self, episode: str, event: EpisodeEvent) -> None:
        """Pass an event of an episode on."""
        self.tell("event", episode, event)


def _play_here(
    bench: Bench, request: RunRequest, folder: RunFolder, audience: Audience
) -> Iterator[EpisodeRecord]:
    worlds = Worlds(bench.provider(request.cluster), request.cluster_options)
    try:
        for assignment in request.assignments():
            player = _player(bench, worlds, request, assignment, folder, audience.listen)
            yield player.play()
            if player.interrupted:
                raise KeyboardInterrupt
    finally:
        worlds.close()


def _player(
    bench: Bench,
    worlds: Worlds,
    request: RunRequest,
    assignment: Assignment,
    folder: RunFolder,
    listener: Listener,
) -> EpisodePlayer:
    place = request.agents.index(assignment.agent)
    agent = bench.agents(request.agents, request.agent_options)[place]
    plan = EpisodePlan(
        episode=assignment.episode,
        problem=assignment.problem,
        agent=agent,
        seed=assignment.seed,
        attempt=assignment.attempt,
        budget=request.budget,
        folder=folder.episode_folder(assignment.episode),
        mode=mode_named(request.mode),
        start_before_s=request.start_before_s,
    )
    return EpisodePlayer(bench, worlds, plan, listener)


@dataclass(frozen=True)
class _Task:
    """One episode with what a worker needs to know of its run."""

    request: RunRequest
    assignment: Assignment
    folder: RunFolder


def _play_task(station: Station, task: _Task) -> EpisodeRecord:
    player = _player(
        station.bench,
        station.worlds,
        task.request,
        task.assignment,
        task.folder,
        lambda episode, event: station.tell((episode, event)),
    )
    return player.play()


def _play_in_processes(
    bench: Bench, request: RunRequest, folder: RunFolder, audience: Audience
) -> Iterator[EpisodeRecord]:
    tasks = [_Task(request, assignment, folder) for assignment in request.assignments()]
    worlds = Worlds(bench.provider(request.cluster), request.cluster_options)
    for problem in {problem.application: problem for problem in request.problems}.values():
        worlds.prepare(bench.application(problem.application), problem.timing.warm_up_s)
    workers: Workers[_Task, EpisodeRecord] = Workers(
        bench,
        worlds,
        request.cluster,
        min(request.jobs, len(tasks)),
        lambda told: audience.listen(*told),
    )
    try:
        yield from workers.each(_play_task, tasks)
    finally:
        workers.close()
