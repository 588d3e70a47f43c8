"""Train the tiny policy and write the curve: `python -m sregym_trl --episodes 480 --out curve.csv`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_trl.policy import Policy
from sregym_trl.training import PROBLEMS, Training

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(words: Sequence[str] | None = None) -> int:
    """Train, then play in worlds that training has not seen, beside agent `random`."""
    parser = argparse.ArgumentParser(prog="python -m sregym_trl", description=__doc__)
    parser.add_argument("problems", nargs="*", default=PROBLEMS)
    parser.add_argument("--episodes", type=int, default=480)
    parser.add_argument("--worlds", type=int, default=2, help="in how many each problem is learnt")
    parser.add_argument("--tests", type=int, default=5, help="in how many others it is tested")
    parser.add_argument("--seed", type=int, default=0, help="of the policy's chance")
    parser.add_argument("--out", type=Path, help="where the curve is written, as CSV")
    options = parser.parse_args(words)
    training = Training(options.problems, worlds=options.worlds, seed=options.seed)
    lines = ["episodes,reward,solved"]
    for point in training.run(options.episodes):
        lines.append(f"{point.episodes},{point.reward:.3f},{point.solved:.3f}")
        sys.stdout.write(f"{lines[-1]}\n")
        sys.stdout.flush()
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    seeds = range(1001, 1001 + options.tests)
    solved = {
        "trained": training.solved(seeds),
        "untrained": training.solved(seeds, Policy(len(training.moves))),
        "random": training.solved_by("random", seeds),
    }
    sys.stdout.write(json.dumps(solved, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
