"""Proofs of problems in the order in which they were drawn, several at once in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing import connection
from typing import TYPE_CHECKING

from sregym_core.api import verify
from sregym_core.errors import SregymError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from sregym_core.api import Problem, Proof, Workspace

# A slow proof holds back those that were drawn after it: of these so many are begun for each process.
_AHEAD = 3


def proofs(
    problems: Iterator[Problem], workspace: Workspace, another: Callable[[], Workspace], jobs: int
) -> Iterator[tuple[Problem, Proof]]:
    """Each problem with its proof, in order: how many are proved at once makes no difference.

    Problems are drawn as they are needed, and some more where several are proved at once.

    Args:
        problems: As they are drawn; there may be no end of them.
        workspace: Where they are proved one after another.
        another: Makes an equal one in another process; it is pickled.
        jobs: How many are proved at once.

    Raises:
        SregymError: A process ended before its proof was there.
    """
    if jobs == 1:
        for problem in problems:
            yield problem, verify(problem, workspace=workspace)
        return
    provers: dict[Connection, BaseProcess] = {}
    try:
        yield from _at_once(problems, another, jobs, provers)
    finally:
        for post, process in provers.items():
            process.kill()  # what was begun beyond those that are wanted is of no use
            process.join()
            post.close()


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _at_once(
    problems: Iterator[Problem],
    another: Callable[[], Workspace],
    jobs: int,
    provers: dict[Connection, BaseProcess],
) -> Iterator[tuple[Problem, Proof]]:
    begun: list[Problem] = []
    busy: dict[Connection, int] = {}
    done: dict[int, Proof] = {}
    told = 0
    while True:
        while len(busy) < jobs and len(begun) < told + _AHEAD * jobs:
            problem = next(problems, None)
            if problem is None:
                break
            post = next((one for one in provers if one not in busy), None)
            if post is None:
                post = _prover(another, provers)
            post.send(problem)
            busy[post] = len(begun)
            begun.append(problem)
        while told in done:
            yield begun[told], done.pop(told)
            told += 1
        if told == len(begun):
            return
        for ready in connection.wait([*busy]) if busy else ():
            number = next(n for post, n in busy.items() if post is ready)
            done[number] = received(ready, begun[number])  # type: ignore[arg-type]
            del busy[ready]  # type: ignore[arg-type]


def received(post: Connection, problem: Problem) -> Proof:
    """The proof of a problem from the process that proved it.

    Raises:
        SregymError: It ended before.
    """
    try:
        proof: Proof = post.recv()
    except EOFError as error:
        msg = (
            f"sample, problem {problem.id!r}: the process that proved it ended, by lack of memory for "
            "instance; prove fewer at once with --jobs"
        )
        raise SregymError(msg) from error
    return proof


def _prover(another: Callable[[], Workspace], provers: dict[Connection, BaseProcess]) -> Connection:
    """Start a further process, and give the end of its pipe."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_prove, args=(there, another), daemon=True)
    process.start()
    there.close()
    provers[here] = process
    return here


def _prove(post: Connection, another: Callable[[], Workspace]) -> None:
    """Prove what comes until nobody asks any longer; worlds are kept from one to the next."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears it, and ends this one
    with another() as workspace:
        while True:
            try:
                problem = post.recv()
            except EOFError:
                return
            post.send(verify(problem, workspace=workspace))
