"""Proving many problems, in this process or in several."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.conductor.bench import Bench
from sregym_core.conductor.worlds import Worlds
from sregym_core.proof.battery import Proof, prove

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_core.model import Problem
    from sregym_core.settings import Settings


@dataclass(frozen=True)
class ProofRequest:
    """What is to be proved, and where.

    Attributes:
        problems: In the order of the answer.
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


def prove_all(bench: Bench, request: ProofRequest) -> Iterator[Proof]:
    """Proofs in the order of the request's problems, each as soon as it is there."""
    provider = bench.provider(request.cluster)
    jobs = min(request.jobs, len(request.problems)) if provider.simulated else 1
    if jobs <= 1:
        worlds = Worlds(provider, request.cluster_options)
        try:
            for problem in request.problems:
                yield prove(bench, worlds, problem, request.seed)
        finally:
            worlds.close()
        return
    shares = [request.problems[start::jobs] for start in range(jobs)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as executor:
        futures = [
            executor.submit(_prove_share, bench.settings, request, share) for share in shares
        ]
        proofs = {proof.problem: proof for future in futures for proof in future.result()}
    for problem in request.problems:
        yield proofs[problem.id]


def _prove_share(
    settings: Settings, request: ProofRequest, share: tuple[Problem, ...]
) -> list[Proof]:
    """In a worker: one checkpoint serves all problems of a share."""
    bench = Bench(settings)
    worlds = Worlds(bench.provider(request.cluster), request.cluster_options)
    return [prove(bench, worlds, problem, request.seed) for problem in share]
