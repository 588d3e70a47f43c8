"""How often a look at ages and last changes alone names the broken component.

Usage: python benchmarks/fingerprints.py [--seeds N] [--problem ID ...] [--json]

Each shortcut looks at the broken world as an agent finds it and names the component that owns the
youngest pod, the newest ReplicaSet and so on. It should hit the target of the fault about as often as
somebody who draws a component by lot. Symptoms of the fault itself (restarts, warnings) may tell more.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_agents.survey import list_everything
from sregym_agents.survey.shortcuts import youngest_pod_but
from sregym_core.conductor import ComponentFactory, EpisodePlan, EpisodePlayer
from sregym_core.interfaces import Agent, AgentDescription, ClusterError
from sregym_core.settings import Settings

from sregym_agents import survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_agents.survey import Listing, Shortcut
    from sregym_core.interfaces import Application, Cluster, Session
    from sregym_core.model import Component, Problem


@dataclass(frozen=True)
class Found:
    """What somebody finds who lists everything and reads the logs of databases.

    Attributes:
        seen: What was listed.
        sessions: Moments at which somebody opened a shell of a database, with its component.
    """

    seen: Listing
    sessions: list[tuple[str, str]]


def _highest(found: list[tuple[str, Any]]) -> set[str]:
    top = max((key for _, key in found), default=None)
    return {name for name, key in found if key == top}


def last_session(found: Found) -> set[str]:
    """On whose database a shell was opened last."""
    return _highest([*found.sessions])


def most_sessions(found: Found) -> set[str]:
    """On whose database a shell was opened most often within the last hour."""
    names = [name for name, _ in found.sessions]
    return _highest([(name, names.count(name)) for name in dict.fromkeys(names)])


def listed(shortcut: Shortcut) -> Callable[[Found], set[str]]:
    """A shortcut that needs nothing but what was listed."""
    return lambda found: shortcut(found.seen)


AGES: dict[str, Callable[[Found], set[str]]] = {
    **{name: listed(shortcut) for name, shortcut in survey.AGES.items()},
    **{f"youngest pod but {count}": listed(youngest_pod_but(count)) for count in range(1, 13)},
    "last session on a database": last_session,
    "most sessions on a database": most_sessions,
}
SYMPTOMS: dict[str, Callable[[Found], set[str]]] = {
    name: listed(shortcut) for name, shortcut in survey.SYMPTOMS.items()
}


class Looker(Agent):
    """Looks once and hands in nothing."""

    name = "looker"

    def __init__(self, application: Application) -> None:
        self.application = application
        self.found: Found | None = None

    def run(self, session: Session) -> None:
        """Look."""
        cluster = session._cluster  # type: ignore[attr-defined]  # a benchmark, not an agent
        owners = [(part.name, part) for part in self.application.components()]
        self.found = Found(list_everything(session), _sessions(cluster, owners))


def _sessions(cluster: Cluster, owners: list[tuple[str, Component]]) -> list[tuple[str, str]]:
    found = []
    for name, part in owners:
        if not part.sessions:
            continue
        labels = ",".join(f"{key}={value}" for key, value in sorted(part.pod_labels.items()))
        for pod in cluster.list("v1", "Pod", part.namespace, labels):
            try:
                log = cluster.logs(part.namespace, pod["metadata"]["name"], since_s=3600.0)
            except ClusterError:
                continue
            lines = [line for line in log.splitlines() if "MongoDB Shell" in line]
            found += [(name, line.partition('"$date":"')[2][:23]) for line in lines]
    return found


def measure(problems: list[Problem], seeds: int, factory: ComponentFactory) -> dict[str, Any]:
    """Hits of each shortcut, by name."""
    worlds = factory.worlds("embedded", {})
    hits: dict[str, float] = dict.fromkeys((*AGES, *SYMPTOMS), 0.0)
    named: dict[str, dict[str, float]] = {}
    chance, count = 0.0, 0
    for seed in range(seeds):
        for problem in problems:
            application = factory.application(problem.application)
            agent = Looker(application)
            plan = EpisodePlan("e0001", problem, AgentDescription.of(agent), seed)
            record = EpisodePlayer(factory, worlds, plan).play(agent)
            if agent.found is None:
                raise SystemExit(f"{problem.id}, seed {seed}: {record.reason}")
            targets = {ref.target for ref in problem.faults}
            parts = [part for part in application.components() if part.kind != "load"]
            chance += len(targets) / len(parts)
            count += 1
            for name, shortcut in {**AGES, **SYMPTOMS}.items():
                guess = shortcut(agent.found)
                hit = len(guess & targets) / len(guess) if guess else 0.0
                hits[name] += hit
                own = named.setdefault(problem.id, dict.fromkeys(hits, 0.0))
                own[name] += hit / seeds
    shares = {name: hit / count for name, hit in hits.items()}
    return {"worlds": count, "chance": chance / count, "hits": shares, "problems": named}


def main() -> int:
    """Print a table; exit code 1 when ages or last changes tell more than three times chance."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--problem", action="append", default=[], metavar="ID")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    factory = ComponentFactory(Settings.from_environment())
    problems = [
        p for p in factory.problems.all() if not arguments.problem or p.id in arguments.problem
    ]
    found = measure(problems, arguments.seeds, factory)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return 0
    chance = found["chance"]
    print(f"{found['worlds']} worlds, chance {chance:.1%}\n")
    for title, group in (("ages and last changes", AGES), ("symptoms", SYMPTOMS)):
        print(title)
        for name in group:
            share = found["hits"][name]
            worst = max(found["problems"], key=lambda problem: found["problems"][problem][name])
            top = found["problems"][worst][name]
            print(
                f"  {name:<42}{share:6.1%}  {share / chance:4.1f} x chance   most: {worst} {top:.0%}"
            )
    return int(any(found["hits"][name] > 3 * chance for name in AGES))


if __name__ == "__main__":
    sys.exit(main())
