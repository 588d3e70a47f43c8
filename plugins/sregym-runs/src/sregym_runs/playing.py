"""A run: many episodes, in this process or in several, one record each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.episode import INTERRUPTED, EpisodePlayer
from sregym_core.conductor.plan import EpisodePlan
from sregym_core.conductor.progress import Progress
from sregym_core.conductor.worlds import Worlds
from sregym_core.errors import UsageError
from sregym_core.interfaces import AgentDescription, RunPlan
from sregym_core.model import EpisodeRecord, Outcome, TargetKind
from sregym_core.modes import check_start

from sregym_runs.folder import episode_folder
from sregym_runs.left_running import ApplicationsLeftRunning
from sregym_runs.prepared import PreparedWorlds, WorkerContext
from sregym_runs.worker_pool import INTERRUPTED as TASK_INTERRUPTED
from sregym_runs.worker_pool import LOST, SILENT, WorkerPool

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Agent
    from sregym_core.model import Problem
    from sregym_core.problems import ProblemSet
    from sregym_core.sealing import Seal

    from sregym_runs.folder import RunFolder
    from sregym_runs.reporters import ReporterSet
    from sregym_runs.request import Assignment, RunRequest


Listener = Callable[[str, "EpisodeEvent"], None]


class RunInterrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C: what was playing is recovered and recorded.

    Attributes:
        records: Of all episodes that were begun.
    """

    def __init__(self, records: Sequence[EpisodeRecord]) -> None:
        super().__init__()
        self.records = tuple(records)


def check_playable(factory: ComponentFactory, request: RunRequest) -> None:
    """Refuse a run before anything is written or started.

    Raises:
        UsageError: A problem, an agent with its options, the mode, the reward or the cluster cannot
            be played.
    """
    check_start(factory.mode(request.mode), request.start_before_s)
    for problem in request.problems:
        factory.check(problem)
    factory.agents(request.agents, request.agent_options)
    if request.reward:
        factory.reward(request.reward)
    provider = factory.provider(request.cluster)
    provider.check(request.cluster_options)
    if request.keep and provider.simulated:
        msg = (
            f"--keep leaves the application on a real cluster; cluster {request.cluster!r} ends "
            "with the run: leave out --keep"
        )
        raise UsageError(msg)
    if not provider.simulated:
        worlds = Worlds(provider, request.cluster_options)
        if request.jobs > 1:
            worlds.share(1)
        for name in dict.fromkeys(problem.application for problem in request.problems):
            worlds.application(factory.application(name))


def unfinished(record: EpisodeRecord) -> bool:
    """Whether an episode is played anew when its run is gone on with: it had no chance to end."""
    ended = (INTERRUPTED, LOST, SILENT.partition(" {")[0])
    return record.outcome is Outcome.ERROR and record.reason.startswith(ended)


def play_run(
    factory: ComponentFactory,
    request: RunRequest,
    folder: RunFolder,
    audience: ReporterSet,
    kept: Sequence[EpisodeRecord] = (),
) -> tuple[EpisodeRecord, ...]:
    """Play all episodes; returns their records in the order of the plan.

    Args:
        factory: What episodes are put together from.
        request: What is played.
        folder: Where it is written.
        audience: Who is told.
        kept: Records of episodes that were played before, and are not played again.

    Raises:
        RunInterrupted: The user pressed Ctrl-C.
        UsageError: A problem, agent or cluster cannot be played; nothing was started.
    """
    check_playable(factory, request)
    plan = RunPlan(
        folder=folder.path,
        problems=tuple(problem.id for problem in request.problems),
        agents=request.agents,
        seeds=tuple(range(request.seed, request.seed + request.attempts)),
        cluster=request.cluster,
        cluster_options=request.cluster_options,
        mode=request.mode,
        start_before_s=request.start_before_s,
        noise_levels=request.noise_levels,
    )
    folder.begin(plan, factory.plugins.statuses(), remembered(request, factory.problems))
    audience.tell("run_started", plan)
    records = {record.episode: record for record in kept}
    for record in kept:
        audience.tell("episode_finished", record)
    left = [one for one in request.assignments() if one.episode not in records]
    interrupted = False
    try:
        for record in _played(factory, request, left, folder, audience):
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


def remembered(request: RunRequest, known: ProblemSet) -> dict[str, Any]:
    """What `run.json` says of a request besides its plan, so that the run can be gone on with.

    Problems of files stand there whole: the files may be others by then.
    """
    listed = {problem.id for problem in known.all()}
    return {
        "definitions": {
            problem.id: problem.model_dump(mode="json", exclude_defaults=True)
            for problem in request.problems
            if problem.id not in listed
        },
        "agent_options": dict(request.agent_options),
        "budget": asdict(request.budget),
        "noise": {problem.id: list(problem.noise) for problem in request.problems},
        "noise_level": {problem.id: problem.noise_level for problem in request.problems},
        "noise_levels": list(request.noise_levels),
        "reward": request.reward,
        "timing": {problem.id: problem.timing.model_dump() for problem in request.problems},
    }


def _played(
    factory: ComponentFactory,
    request: RunRequest,
    left: Sequence[Assignment],
    folder: RunFolder,
    audience: ReporterSet,
) -> Iterator[EpisodeRecord]:
    """Side by side as far as wanted; on a real cluster what breaks machines has it for itself."""
    together, apart = list(left), []
    if not factory.provider(request.cluster).simulated:
        together = [one for one in left if not _breaks_machines(factory, one.problem)]
        apart = [one for one in left if _breaks_machines(factory, one.problem)]
    if request.jobs <= 1 or len(together) <= 1:
        together, apart = [], list(left)
    if together:
        yield from _play_in_processes(factory, request, together, folder, audience)
    if apart:
        yield from _play_here(factory, request, apart, folder, audience)


def _breaks_machines(factory: ComponentFactory, problem: Problem) -> bool:
    """Whether others on the same cluster would feel it, wherever their namespaces are."""
    faults = [factory.fault(ref.fault) for ref in problem.single_faults]
    return any(fault.needs or TargetKind.COMPONENT not in fault.takes for fault in faults)


def _worlds(factory: ComponentFactory, request: RunRequest) -> Worlds:
    state = factory.settings.state
    standing = None if state is None else ApplicationsLeftRunning(state, request.keep)
    return factory.worlds(request.cluster, request.cluster_options, standing=standing)


def _play_here(
    factory: ComponentFactory,
    request: RunRequest,
    left: Sequence[Assignment],
    folder: RunFolder,
    audience: ReporterSet,
) -> Iterator[EpisodeRecord]:
    worlds = _worlds(factory, request)
    last = ""
    try:
        for assignment in left:
            last = assignment.episode
            agent = _agent(factory, request, assignment)
            player = _player(
                factory,
                worlds,
                request,
                assignment,
                agent,
                folder.path,
                folder.seal,
                audience.listen,
            )
            yield player.play(agent)
            if player.interrupted:
                raise KeyboardInterrupt
    finally:
        worlds.close(Progress(lambda event: audience.listen(last, event)))


def _agent(factory: ComponentFactory, request: RunRequest, assignment: Assignment) -> Agent:
    """A new adapter for one episode."""
    place = request.agents.index(assignment.agent)
    return factory.agents(request.agents, request.agent_options)[place]


def _player(
    factory: ComponentFactory,
    worlds: Worlds,
    request: RunRequest,
    assignment: Assignment,
    agent: Agent,
    folder: Path,
    seal: Seal,
    listener: Listener,
) -> EpisodePlayer:
    plan = EpisodePlan(
        episode=assignment.episode,
        problem=assignment.problem,
        agent=AgentDescription.of(agent),
        seed=assignment.seed,
        attempt=assignment.attempt,
        budget=request.budget,
        folder=episode_folder(folder, assignment.episode),
        seal=seal,
        mode=factory.mode(request.mode),
        start_before_s=request.start_before_s,
        reward=factory.reward(request.reward) if request.reward else None,
    )
    return EpisodePlayer(factory, worlds, plan, listener)


@dataclass(frozen=True)
class _Task:
    """One episode with what a worker needs to know of its run."""

    request: RunRequest
    assignment: Assignment
    folder: Path
    seal: Seal


def _play_task(context: WorkerContext, task: _Task) -> EpisodeRecord:
    agent = _agent(context.factory, task.request, task.assignment)
    player = _player(
        context.factory,
        context.worlds,
        task.request,
        task.assignment,
        agent,
        task.folder,
        task.seal,
        lambda episode, event: context.tell((episode, event)),
    )
    return player.play(agent)


def _lost(task: _Task, why: str, *, simulated: bool) -> EpisodeRecord:
    """The record of an episode whose worker died at it."""
    return EpisodeRecord(
        episode=task.assignment.episode,
        problem=task.assignment.problem.id,
        agent=task.assignment.agent,
        seed=task.assignment.seed,
        mode=task.request.mode,
        start_before_s=task.request.start_before_s,
        attempt=task.assignment.attempt,
        noise_level=task.assignment.problem.noise_level,
        cluster=task.request.cluster,
        outcome=Outcome.ERROR,
        reason=why,
        recovered=simulated,  # such a world ends with its process
    )


def _play_in_processes(
    factory: ComponentFactory,
    request: RunRequest,
    left: Sequence[Assignment],
    folder: RunFolder,
    audience: ReporterSet,
) -> Iterator[EpisodeRecord]:
    tasks = [_Task(request, assignment, folder.path, folder.seal) for assignment in left]
    worlds = _worlds(factory, request)
    known = {problem.application: problem for problem in request.problems}
    for problem in known.values() if worlds.provider.simulated else ():
        worlds.prepare(
            factory.application(problem.application), problem.timing.warm_up_s, request.seed
        )
    prepared = PreparedWorlds(factory, worlds, request.cluster)
    pool: WorkerPool[WorkerContext, _Task, EpisodeRecord] = WorkerPool(
        _play_task,
        prepared.opened,
        min(request.jobs, len(tasks)),
        listener=lambda message: audience.listen(*message),
        interruptible=True,
        end_s=prepared.end_s,
    )
    try:
        for end in pool.each(tasks):
            if end.result is not None:
                yield end.result
            elif end.lost != TASK_INTERRUPTED:
                yield _lost(end.task, end.lost, simulated=worlds.provider.simulated)
    finally:
        pool.close()
