"""Proving many problems, in this process or in several."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from sregym_core.conductor.collecting import nothing_collected
from sregym_core.proof import Proof, ProofCheck, prove

from sregym_runs.prepared import PreparedWorlds, WorkerContext
from sregym_runs.worker_pool import ENDED_TOO, INTERRUPTED, WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.events import EpisodeEvent
    from sregym_core.model import Problem


@dataclass(frozen=True)
class ProofRequest:
    """What is to be proved, and where.

    Attributes:
        problems: Those of one application are begun in this order.
        cluster: Name of the provider.
        cluster_options: What the user gave for it.
        seed: Of every episode.
        jobs: How many problems at once.
    """

    problems: tuple[Problem, ...]
    cluster: str
    cluster_options: Mapping[str, str]
    seed: int
    jobs: int


def prove_all(
    factory: ComponentFactory,
    request: ProofRequest,
    listener: Callable[[str, EpisodeEvent], None] | None = None,
) -> Iterator[Proof]:
    """Proofs as they come, each as soon as it is there: a slow one keeps none back.

    On Ctrl-C the proofs that are there are still given, then `KeyboardInterrupt` is raised.

    Args:
        factory: What episodes are put together from.
        request: What is to be proved.
        listener: Called with problem and event for each event of proofs that are played one after
            another, as on a real cluster.
    """
    provider = factory.provider(request.cluster)
    jobs = min(request.jobs, len(request.problems)) if provider.simulated else 1
    groups = _by_healthy_world(factory, request.problems)
    if jobs <= 1:
        worlds = factory.worlds(request.cluster, request.cluster_options)
        try:
            for problem in chain.from_iterable(groups):
                with only_own_collected():
                    proof = prove(factory, worlds, problem, request.seed, listener)
                yield proof
        finally:
            worlds.close()
        return
    worlds = factory.worlds(request.cluster, request.cluster_options)
    if len(groups) < jobs:  # several workers need the same world: it is made once for all of them
        for first, *_ in groups:
            worlds.prepare(
                factory.application(first.application), first.timing.warm_up_s, request.seed
            )
    prepared = PreparedWorlds(factory, worlds, request.cluster)
    pool: WorkerPool[WorkerContext, _Task, Proof] = WorkerPool(
        _prove_task, prepared.opened, jobs, interruptible=True, end_s=prepared.end_s
    )
    try:
        tasks = [_Task(problem, request.seed) for problem in chain.from_iterable(groups)]
        for end in pool.each(tasks, lambda task: _healthy_world(task.problem)):
            if end.result is not None:
                yield end.result
            elif end.lost not in (ENDED_TOO, INTERRUPTED):  # these say nothing about the problem
                yield _lost(end.task, end.lost)
    finally:
        pool.close()


def _healthy_world(problem: Problem) -> tuple[str, float]:
    """What the healthy world depends on in which a problem begins."""
    return problem.application, problem.timing.warm_up_s


def _by_healthy_world(
    factory: ComponentFactory, problems: Sequence[Problem]
) -> list[list[Problem]]:
    """Problems that begin in the same world together; first those that take longest as a whole.

    A proof takes about as long as the application is large.
    """
    groups: dict[tuple[str, float], list[Problem]] = {}
    for problem in problems:
        groups.setdefault(_healthy_world(problem), []).append(problem)

    def work(group: list[Problem]) -> int:
        return len(group) * len(factory.application(group[0].application).components())

    return sorted(groups.values(), key=work, reverse=True)


@dataclass(frozen=True)
class _Task:
    problem: Problem
    seed: int


def _prove_task(context: WorkerContext, task: _Task) -> Proof:
    with only_own_collected():
        return prove(context.factory, context.worlds, task.problem, task.seed)


def _lost(task: _Task, why: str) -> Proof:
    check = ProofCheck("worker-lives", "a proof", "none", False, why)
    return Proof(task.problem.id, (check,), 0.0)


@contextmanager
def only_own_collected() -> Iterator[None]:
    """As `nothing_collected`; then cycles are looked for among what was made meanwhile, and no more.

    For processes that end with their work: what was there before is never looked through again.
    """
    gc.freeze()
    with nothing_collected():
        yield
    gc.collect()
