"""Proofs of problems in the order in which they were drawn, several at once in processes of their own."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_core.api import verify
from sregym_core.errors import SregymError
from sregym_runs import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_core.api import Problem, Proof, Workspace

# A slow proof holds back those that were drawn after it: of these so many are begun for each process.
_AHEAD = 3
# Workers that fall silent are noticed within so many seconds.
_TURN_S = 5.0

Numbered = tuple[int, "Problem"]


def proofs(
    problems: Iterator[Problem], workspace: Workspace, another: Callable[[], Workspace], jobs: int
) -> Iterator[tuple[Problem, Proof]]:
    """Each problem with its proof, in order: how many are proved at once makes no difference.

    Problems are drawn as they are needed, and some more where several are proved at once.

    Args:
        problems: As they are drawn; may be infinite.
        workspace: Where they are proved one after another.
        another: Makes an equal one in another process; it may be pickled.
        jobs: How many are proved at once.

    Raises:
        SregymError: A process ended before its proof was there.
    """
    if jobs == 1:
        for problem in problems:
            yield problem, verify(problem, workspace=workspace)
        return
    pool: WorkerPool[Workspace, Numbered, Proof] = WorkerPool(
        _prove, partial(_workspace, another), jobs
    )
    try:
        yield from in_order(problems, pool, _AHEAD * jobs)
    finally:
        pool.close()  # proofs that are still running are beyond those that are wanted


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    problems: Iterator[Problem], pool: WorkerPool[Any, Numbered, Proof], ahead: int
) -> Iterator[tuple[Problem, Proof]]:
    """Each problem with its proof, in order.

    Args:
        problems: As they are drawn; may be infinite.
        pool: Proves numbered problems.
        ahead: How many are drawn beyond those that were given.

    Raises:
        SregymError: A process ended before its proof was there.
    """
    drawn: list[Problem] = []
    done: dict[int, Proof] = {}
    given, more = 0, True
    while more or given < len(drawn):
        while more and pool.free and len(drawn) < given + ahead:
            problem = next(problems, None)
            if problem is None:
                more = False
                break
            pool.begin((len(drawn), problem))
            drawn.append(problem)
        while given in done:
            yield drawn[given], done.pop(given)
            given += 1
        for end in pool.wait(_TURN_S) if pool.running else ():
            number, problem = end.task
            if end.result is None:
                msg = f"sample, problem {problem.id!r}: {end.lost}; prove fewer at once with --jobs"
                raise SregymError(msg)
            done[number] = end.result


def _workspace(
    another: Callable[[], Workspace], _number: int, _tell: Callable[[Any], None]
) -> Workspace:
    return another()


def _prove(workspace: Workspace, numbered: Numbered) -> Proof:
    return verify(numbered[1], workspace=workspace)
