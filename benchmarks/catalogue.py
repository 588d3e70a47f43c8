"""What it costs to prove the catalogue: all curated problems, and pairs of faults and targets.

Usage: python benchmarks/catalogue.py [--curated N] [--pairs N] [--seed S]

The curated problems are proved by `sregym verify --jobs 2`; with `--curated N` every so many-th of
them, of which the whole is estimated. Pairs are proved one after another in this process, in worlds
that are warm after the first of each application.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from sregym_core.api import Workspace, problems, verify
from sregym_core.api.sampling import sampled_pairs

CURATED_GOAL_S = 90.0
PAIR_GOAL_S = 0.4


def curated(count: int | None) -> tuple[float, int, int]:
    """Seconds for all curated problems in two processes, how many were played and proved."""
    ids = [problem.id for problem in problems()]
    share = ids if count is None else ids[:: max(1, len(ids) // count)][:count]
    command = [sys.executable, "-m", "sregym_core", "verify", *share, "--jobs", "2", "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return told["wall_s"] * len(ids) / len(share), told["total"], told["proved"]


def of_pairs(count: int, seed: int) -> tuple[float, int, list[str]]:
    """Mean CPU seconds of a proved pair, how many were proved, and why others were not."""
    spent, proved, others = 0.0, 0, []
    warm: set[str] = set()
    with Workspace() as workspace:
        for problem in sampled_pairs(workspace, count, seed):
            if problem.application not in warm:
                verify(problem, workspace=workspace)
                warm.add(problem.application)
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
    seconds, played, proved = curated(arguments.curated)
    note = "" if arguments.curated is None else f", estimated from {played}"
    print(f"curated problems, two processes{note}: {seconds:.0f} s (goal {CURATED_GOAL_S:.0f} s)")
    print(f"  {proved} of {played} proved")
    cpu_s, count, others = of_pairs(arguments.pairs, arguments.seed)
    print(f"a proved pair, mean of {count}: {cpu_s:.2f} s of CPU (goal {PAIR_GOAL_S:.1f} s)")
    for line in others:
        print(f"  not proved: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
