"""What it costs to prove the catalogue: all curated problems, and pairs of faults and targets.

Usage: python benchmarks/catalogue.py [--curated N] [--pairs N] [--seed S]

The curated problems are proved by `sregym verify --jobs 2`; with `--curated N` so many of them, drawn
by the seed, of which the whole is estimated: a small draw boots an application for few problems each,
so that the estimate is rather too high. What counts is CPU time, which a busy machine stretches less
than wall-clock time. Pairs are proved one after another in this process, each in a world that is
deployed and warm already, but not broken before.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from typing import NamedTuple

from sregym_core.api import Workspace, problems, verify
from sregym_runs.fitting_pairs import sampled_pairs

CURATED_GOAL_S = 90.0
PAIR_GOAL_S = 0.4
JOBS = 2


class Curated(NamedTuple):
    """What proving curated problems took: CPU and wall seconds, and how many there were."""

    cpu_s: float
    wall_s: float
    played: int
    proved: int
    of: int


def curated(count: int | None, seed: int) -> Curated:
    """Prove all curated problems, or so many of them."""
    ids = sorted(problem.id for problem in problems())
    share = ids if count is None else sorted(random.Random(seed).sample(ids, min(count, len(ids))))
    jobs = str(JOBS)
    command = [sys.executable, "-m", "sregym_core", "verify", *share, "--jobs", jobs, "--json"]
    before = _cpu_of_children()
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    cpu_s = _cpu_of_children() - before
    return Curated(cpu_s, told["wall_s"], told["total"], told["proved"], len(ids))


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_pairs(count: int, seed: int) -> tuple[float, int, list[str]]:
    """Mean CPU seconds of a proved pair, how many were proved, and why others were not."""
    spent, proved, others = 0.0, 0, []
    with Workspace() as workspace:
        for problem in sampled_pairs(workspace, count, seed, "embedded"):
            application = workspace.application(problem.application)
            workspace.worlds("embedded").prepare(application, problem.timing.warm_up_s, 0)
            began = time.process_time()
            proof = verify(problem, workspace=workspace)
            if proof.proved:
                proved += 1
                spent += time.process_time() - began
            else:
                why = next((check.detail for check in proof.checks if not check.ok), "")
                others.append(f"{problem.id}: {proof.softened or why}")
    return spent / max(1, proved), proved, others


def main() -> int:
    """Print both figures beside their goals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curated", type=int, metavar="N", help="only so many, for an estimate")
    parser.add_argument("--pairs", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    arguments = parser.parse_args()
    found = curated(arguments.curated, arguments.seed)
    each_s = found.cpu_s / found.played
    note = "" if found.played == found.of else f", estimated from {found.played}"
    print(
        f"all {found.of} curated problems on {JOBS} cores{note}: {each_s * found.of / JOBS:.0f} s "
        f"(goal {CURATED_GOAL_S:.0f} s)"
    )
    print(
        f"  {found.proved} of {found.played} proved; {each_s:.2f} s of CPU each, "
        f"{found.wall_s:.0f} s on the wall",
        flush=True,
    )
    cpu_s, count, others = of_pairs(arguments.pairs, arguments.seed)
    print(f"a proved pair, mean of {count}: {cpu_s:.2f} s of CPU (goal {PAIR_GOAL_S:.1f} s)")
    for line in others:
        print(f"  not proved: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
