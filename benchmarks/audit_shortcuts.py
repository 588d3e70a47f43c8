"""How often somebody who knows no SRE names the broken component, by the audit log or by anything.

Usage: python benchmarks/audit_shortcuts.py [--of audit|ages|symptoms|all] [--problems N] [--seeds S,S]
           [--draw D] [--json] [ID ...]

A seeded sample of problems (or those that are named) is played by somebody who lists everything; each
shortcut should hit about as often as a draw by lot among all components. Problems of an application
share with each seed what happened before the fault, and with it what stands out in the world: it is
worlds that are drawn, not problems, and the intervals (95 %) are those of a bootstrap over worlds.
"""

from __future__ import annotations

import argparse
import json
import sys
from random import Random
from typing import TYPE_CHECKING, Any

from sregym_agent_shortcuts.agent import Looker
from sregym_agents.survey import AGES, AUDITED, SHORTCUTS, SYMPTOMS
from sregym_core.api import Workspace, play, problems
from sregym_core.errors import SregymError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_agents.survey import Shortcut
    from sregym_core.api import Problem

FAMILIES = {"audit": AUDITED, "ages": AGES, "symptoms": SYMPTOMS, "all": SHORTCUTS}
DRAWS = 1000


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


def measured(
    chosen: Sequence[Problem],
    seeds: Sequence[int],
    workspace: Workspace,
    shortcuts: Mapping[str, Shortcut],
) -> Any:
    """Chance, and by shortcut with what probability it hits, over all worlds."""
    # By application and seed: for each problem the chance of a draw by lot, and that of each shortcut.
    worlds: dict[tuple[str, int], list[tuple[float, dict[str, float]]]] = {}
    given: dict[str, list[str]] = {}
    for problem in chosen:
        for seed in seeds:
            looker = Looker()
            try:
                reason = play(
                    problem, looker, workspace=workspace, seed=seed, mode="diagnosis-only"
                ).reason
            except SregymError as error:  # hours of others are not lost for it
                reason = str(error)
            seen = looker.seen
            if seen is None:
                print(f"{problem.id}, seed {seed}: {reason}", file=sys.stderr)
                continue
            broken = {name for ref in problem.faults for name in ref.components}
            hits = {}
            for name, shortcut in shortcuts.items():
                guess = shortcut(seen)
                hits[name] = len(guess & broken) / len(guess) if guess else 0.0
                if hits[name]:
                    given.setdefault(name, []).append(f"{problem.id} {seed}")
            chance = len(broken) / len({*seen.components} | broken)
            worlds.setdefault((problem.application, seed), []).append((chance, hits))
    everything = [one for found in worlds.values() for one in found]
    chance = sum(one for one, _ in everything) / max(1, len(everything))
    rates = {n: sum(h[n] for _, h in everything) / max(1, len(everything)) for n in shortcuts}
    return {
        "episodes": len(everything),
        "worlds": len(worlds),
        "chance": chance,
        "hits": rates,
        "times_chance": {name: between([*worlds.values()], name) for name in shortcuts},
        "given": given,
    }


def between(
    worlds: Sequence[Sequence[tuple[float, dict[str, float]]]], name: str
) -> tuple[float, float]:
    """Where the multiple of chance lies with 95 %, by a bootstrap over worlds."""
    lot = Random(f"bootstrap of {name}")
    found = []
    for _ in range(DRAWS if worlds else 0):
        drawn = [one for world in lot.choices(worlds, k=len(worlds)) for one in world]
        found.append(sum(h[name] for _, h in drawn) / sum(chance for chance, _ in drawn))
    found.sort()
    return (found[DRAWS // 40], found[-DRAWS // 40]) if found else (0.0, 0.0)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--of", choices=FAMILIES, default="audit", help="which shortcuts")
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    seeds = [int(seed) for seed in asked.seeds.split(",")]
    with Workspace() as workspace:
        chosen = (
            [one for one in problems(workspace=workspace) if one.id in asked.ids]
            if asked.ids
            else sample(workspace, asked.problems, asked.draw)
        )
        # Warm worlds are kept for the next problem of the same application.
        chosen.sort(key=lambda one: one.application)
        found = measured(chosen, seeds, workspace, FAMILIES[asked.of])
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{found['episodes']} episodes in {found['worlds']} worlds, chance {found['chance']:.1%}")
    for name, rate in found["hits"].items():
        low, high = found["times_chance"][name]
        times = rate / found["chance"] if found["chance"] else 0.0
        print(f"  {name:<44}{rate:6.1%}  {times:4.1f} x chance ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main()
