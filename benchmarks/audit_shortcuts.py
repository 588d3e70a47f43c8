"""How often a look at the audit log of the API server alone names the broken component.

Usage: python benchmarks/audit_shortcuts.py [--problems N] [--seeds S,S] [--draw D] [--json] [ID ...]

A seeded sample of problems (or those that are named) is played by somebody who lists everything; each
shortcut over the audit log should hit about as often as a draw by lot among all components.
"""

from __future__ import annotations

import argparse
import json
import sys
from random import Random
from typing import TYPE_CHECKING, Any

from sregym_agent_shortcuts.agent import Looker
from sregym_agents.survey import AUDITED
from sregym_core.api import Workspace, play, problems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.api import Problem


def sample(workspace: Workspace, count: int, draw: int) -> list[Problem]:
    """Problems whose faults are in components, chosen by a seed."""
    known = [
        one
        for one in problems(workspace=workspace)
        if all(name for ref in one.faults for name in ref.components)
        and any(ref.components for ref in one.faults)
    ]
    chance = Random(f"sample for shortcuts, seed {draw}")
    return chance.sample(known, min(count, len(known)))


def measured(chosen: Sequence[Problem], seeds: Sequence[int], workspace: Workspace) -> Any:
    """Chance, and by shortcut with what probability it hits, over all worlds."""
    hits: dict[str, list[float]] = {name: [] for name in AUDITED}
    chances: list[float] = []
    given: dict[str, list[str]] = {}
    for problem in chosen:
        for seed in seeds:
            looker = Looker()
            record = play(problem, looker, workspace=workspace, seed=seed, mode="diagnosis-only")
            seen = looker.seen
            if seen is None:
                print(f"{problem.id}, seed {seed}: {record.reason}", file=sys.stderr)
                continue
            broken = {name for ref in problem.faults for name in ref.components}
            chances.append(len(broken) / len({*seen.components} | broken))
            for name, shortcut in AUDITED.items():
                guess = shortcut(seen)
                hit = len(guess & broken) / len(guess) if guess else 0.0
                hits[name].append(hit)
                if hit:
                    given.setdefault(name, []).append(f"{problem.id} {seed}")
    chance = sum(chances) / max(1, len(chances))
    rates = {name: sum(found) / max(1, len(found)) for name, found in hits.items()}
    return {"worlds": len(chances), "chance": chance, "hits": rates, "given": given}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with Workspace() as workspace:
        chosen = (
            [one for one in problems(workspace=workspace) if one.id in asked.ids]
            if asked.ids
            else sample(workspace, asked.problems, asked.draw)
        )
        found = measured(chosen, [int(seed) for seed in asked.seeds.split(",")], workspace)
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{found['worlds']} worlds, chance {found['chance']:.1%}")
    for name, rate in found["hits"].items():
        print(f"  {name:<44}{rate:6.1%}  {rate / found['chance']:4.1f} x chance")


if __name__ == "__main__":
    main()
