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

from sregym_core.conductor import Bench, EpisodePlan, EpisodePlayer
from sregym_core.conductor.worlds import Worlds
from sregym_core.interfaces import Agent, AgentDescription, ClusterError
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces import Application, Cluster, Session
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, Problem

KINDS = (
    ("v1", "ConfigMap"), ("v1", "Secret"), ("v1", "Service"), ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"), ("apps/v1", "DaemonSet"),
)  # fmt: skip
MADE = (("v1", "Pod"), ("apps/v1", "ReplicaSet"), ("discovery.k8s.io/v1", "EndpointSlice"))
# Controllers write the state of things; only people and pipelines write what is wanted.
CONTROLLERS = ("kube-controller-manager", "kubelet", "kube-scheduler")


@dataclass(frozen=True)
class Seen:
    """What somebody sees who lists the objects of an application.

    Attributes:
        declared: What people made, with the component to which it belongs.
        made: What the system made of it, the same.
        events: Events with the component to which they refer, the oldest first.
        sessions: Moments at which somebody opened a shell of a database, with its component.
    """

    declared: list[tuple[str, KubeObject]]
    made: list[tuple[str, KubeObject]]
    events: list[tuple[str, KubeObject]]
    sessions: list[tuple[str, str]]


def _own(seen: Seen, kind: str) -> list[tuple[str, KubeObject]]:
    return [(name, obj) for name, obj in (*seen.declared, *seen.made) if obj["kind"] == kind]


def _highest(found: list[tuple[str, Any]]) -> set[str]:
    top = max((key for _, key in found), default=None)
    return {name for name, key in found if key == top}


def youngest_pod(seen: Seen) -> set[str]:
    """Who owns the pod that was created last."""
    return _highest([(n, o["metadata"]["creationTimestamp"]) for n, o in _own(seen, "Pod")])


def youngest_pod_but(count: int) -> Callable[[Seen], set[str]]:
    """Who owns the youngest pod, the components with the `count` youngest ones left out."""

    def look_past(seen: Seen) -> set[str]:
        pods = _own(seen, "Pod")
        for _ in range(count):
            first = _highest([(n, o["metadata"]["creationTimestamp"]) for n, o in pods])
            pods = [(n, o) for n, o in pods if n not in first]
        return _highest([(n, o["metadata"]["creationTimestamp"]) for n, o in pods])

    return look_past


def newest_replica_set(seen: Seen) -> set[str]:
    """Who owns the ReplicaSet that was created last."""
    return _highest([(n, o["metadata"]["creationTimestamp"]) for n, o in _own(seen, "ReplicaSet")])


def last_managed(seen: Seen) -> set[str]:
    """Whose object was written last by any manager."""
    return _highest([(n, e["time"]) for n, o in seen.declared for e in _entries(o)])


def last_edited(seen: Seen) -> set[str]:
    """Whose object was written last by a manager that is no controller."""
    return _highest(
        [
            (n, e["time"])
            for n, o in seen.declared
            for e in _entries(o)
            if e["manager"] not in CONTROLLERS
        ]
    )


def highest_version(seen: Seen) -> set[str]:
    """Whose declared object has the highest resourceVersion."""
    return _highest([(n, int(o["metadata"]["resourceVersion"])) for n, o in seen.declared])


def highest_generation(seen: Seen) -> set[str]:
    """Whose workload has the highest generation."""
    return _highest([(n, o["metadata"].get("generation", 0)) for n, o in seen.declared])


def odd_manager(seen: Seen) -> set[str]:
    """Who has the rarest manager."""
    managers: dict[str, set[str]] = {}
    for name, obj in seen.declared:
        for entry in _entries(obj):
            if entry["manager"] not in CONTROLLERS:
                managers.setdefault(entry["manager"], set()).add(name)
    return min(managers.values(), key=len, default=set())


def last_session(seen: Seen) -> set[str]:
    """On whose database a shell was opened last."""
    return _highest([*seen.sessions])


def most_sessions(seen: Seen) -> set[str]:
    """On whose database a shell was opened most often within the last hour."""
    names = [name for name, _ in seen.sessions]
    return _highest([(name, names.count(name)) for name in dict.fromkeys(names)])


def _entries(obj: KubeObject) -> list[dict[str, Any]]:
    return [entry for entry in obj["metadata"].get("managedFields", ()) if entry.get("time")]


def most_restarts(seen: Seen) -> set[str]:
    """Whose containers were restarted most often: a symptom."""
    found = []
    for name, pod in _own(seen, "Pod"):
        statuses = pod.get("status", {}).get("containerStatuses") or ()
        count = sum(status["restartCount"] for status in statuses)
        if count:
            found.append((name, count))
    return _highest(found)


def first_warning(seen: Seen) -> set[str]:
    """To whom the oldest warning refers: a symptom."""
    return next(({name} for name, event in seen.events if event["type"] == "Warning"), set())


AGES: dict[str, Callable[[Seen], set[str]]] = {
    "youngest pod": youngest_pod,
    **{f"youngest pod but {count}": youngest_pod_but(count) for count in range(1, 13)},
    "newest ReplicaSet": newest_replica_set,
    "last managedFields time": last_managed,
    "last managedFields time, no controllers": last_edited,
    "highest resourceVersion": highest_version,
    "highest generation": highest_generation,
    "rarest manager": odd_manager,
    "last session on a database": last_session,
    "most sessions on a database": most_sessions,
}
SYMPTOMS: dict[str, Callable[[Seen], set[str]]] = {
    "most restarts": most_restarts,
    "first Warning event": first_warning,
}


class Looker(Agent):
    """Looks once and hands in nothing."""

    name = "looker"

    def __init__(self, application: Application) -> None:
        self.application = application
        self.cluster: Cluster | None = None
        self.seen: Seen | None = None

    def run(self, session: Session) -> None:
        """Look."""
        cluster = session._cluster  # type: ignore[attr-defined]  # a benchmark, not an agent
        self.seen = look(cluster, self.application)


def look(cluster: Cluster, application: Application) -> Seen:
    """What there is to see."""
    owners = [(part.name, part) for part in application.components() if part.kind != "load"]

    def owner(obj: KubeObject) -> str | None:
        metadata = obj["metadata"]
        labels = (metadata.get("labels") or {}).items()
        for name, part in owners:
            refs = [part.workload, part.service, *(use.source for use in part.config)]
            if any(ref and (ref.kind, ref.name) == (obj["kind"], metadata["name"]) for ref in refs):
                return name
        return next((n for n, part in owners if part.pod_labels.items() <= labels), None)

    declared, made = [], []
    for kinds, place in ((KINDS, declared), (MADE, made)):
        for version, kind in kinds:
            for namespace in application.namespaces:
                for obj in cluster.list(version, kind, namespace):
                    name = owner(obj)
                    if name is not None:
                        place.append((name, obj))
    events = []
    names = {obj["metadata"]["name"]: name for name, obj in (*declared, *made)}
    for namespace in application.namespaces:
        for event in cluster.list("v1", "Event", namespace):
            name = names.get(event["involvedObject"]["name"])
            if name is not None:
                events.append((name, event))
    events.sort(key=lambda pair: str(pair[1].get("firstTimestamp") or pair[1].get("eventTime")))
    return Seen(declared, made, events, _sessions(cluster, owners))


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


def measure(problems: list[Problem], seeds: int, bench: Bench) -> dict[str, Any]:
    """Hits of each shortcut, by name."""
    worlds = Worlds(bench.provider("embedded"), {})
    hits: dict[str, float] = dict.fromkeys((*AGES, *SYMPTOMS), 0.0)
    named: dict[str, dict[str, float]] = {}
    chance, count = 0.0, 0
    for seed in range(seeds):
        for problem in problems:
            application = bench.application(problem.application)
            agent = Looker(application)
            plan = EpisodePlan("e0001", problem, AgentDescription.of(agent), seed)
            record = EpisodePlayer(bench, worlds, plan).play(agent)
            if agent.seen is None:
                raise SystemExit(f"{problem.id}, seed {seed}: {record.reason}")
            targets = {ref.target for ref in problem.faults}
            parts = [part for part in application.components() if part.kind != "load"]
            chance += len(targets) / len(parts)
            count += 1
            for name, shortcut in {**AGES, **SYMPTOMS}.items():
                guess = shortcut(agent.seen)
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
    bench = Bench(Settings.from_environment())
    problems = [
        p for p in bench.problems.all() if not arguments.problem or p.id in arguments.problem
    ]
    found = measure(problems, arguments.seeds, bench)
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
