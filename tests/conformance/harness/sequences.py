"""Sequences: what a watcher sees, compared with what one saw on a real cluster.

The unit is one object of a recording. It matches when its states follow each other as recorded and
the time between two of them, where that is long, is the recorded time within 30 %.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from sregym_cluster_embedded.store import Change
from sregym_cluster_embedded.world import World

from harness.cluster import Shell, fresh_world
from harness.recordings import load
from harness.reduction import reduced, resource_of
from harness.results import Failure, Result

# Shorter distances were those of a busy machine.
LONG_S = 5.0
TOLERANCE = 0.3
# By so much the clock of a watch may be behind that of the actions.
SKEW_S = 2.5
# What the README of the recordings calls noise of the recording machine, and the mark that an
# eviction in another recording of the same cluster left on a pod.
NOISE = re.compile(r"failed to sync configmap cache")
EVICTING = re.compile(r"drain|^stop")
FREEZE = re.compile(r"(stop|cont) (\S+) \(kubelet")


@dataclass
class ContainerInstance:
    """What was seen of one object: its states in order, each with when it was seen first."""

    kind: str
    name: str
    states: list[dict[str, Any]]
    at_s: list[float]


def replay(path: Path) -> Result:
    """Perform the actions of a recording and compare what a watcher sees."""
    recording = load(path)
    wanted = lives(without_noise(recording))
    got = lives(play(recording))
    # Where all is 30 % faster, the recording ends here: what comes later may or may not be in it.
    end_s = recording["seconds"] / (1 + TOLERANCE)
    acted_s = [action["t"] for action in recording["actions"]]
    result = Result("sequences", recording["id"])
    for life in wanted:
        result.total += 1
        twin = next((other for other in got if not difference(life, other, end_s, acted_s)), None)
        if twin is not None:
            got.remove(twin)
            result.matched += 1
            continue
        others = [other for other in got if (other.kind, other.name) == (life.kind, life.name)]
        lines = (
            difference(life, others[0], end_s, acted_s)
            if others
            else ["- seen", "+ no such object"]
        )
        result.failures.append(Failure(0, f"{life.kind} {life.name}", tuple(lines)))
    return result


def play(recording: dict[str, Any]) -> list[dict[str, Any]]:
    """What a watcher sees of the recording's actions, with its seconds."""
    world = fresh_world(recording["id"])
    seen: list[tuple[float, Change]] = []

    def note(changed: World, change: Change) -> None:
        seen.append((changed.now, change))

    spec = world.spec
    world.spec = replace(spec, listeners=(*spec.listeners, note))
    # Who listens is asked when a world begins.
    world = world.fork()
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        shell = Shell(world, Path(folder))
        with shell:
            shell.make_namespace(recording["namespace"])
            began = shell.now
            for action in recording["actions"]:
                shell.advance(began + action["t"] - shell.now)
                if found := FREEZE.match(action["run"]):
                    shell.freeze(found[2], found[1] == "stop")
                else:
                    shell.type(action["run"], action.get("stdin", ""))
            shell.advance(began + recording["seconds"] * (1 + TOLERANCE) - shell.now)
    watched = {resource_of(name) for name in recording["watched"]}
    nodes_first = [
        {"t": 0.0, **reduced("ADDED", "nodes", node)}
        for node in world.store.list("nodes")
        if "nodes" in watched
    ]
    return nodes_first + [
        {"t": at_s - began, **reduced(str(change.type), change.key.resource, change.obj)}
        for at_s, change in seen
        if at_s >= began
        and change.key.resource in watched
        and change.key.namespace in ("", recording["namespace"])
    ]


def lives(lines: list[dict[str, Any]]) -> list[ContainerInstance]:
    """The objects of a watch in order of appearance, with generated names replaced."""
    found: dict[tuple[str, str], ContainerInstance] = {}
    for line in renamed(lines):
        state = {key: value for key, value in line.items() if key not in ("t", "name")}
        name = line["name"]
        if line["kind"] == "Event":
            name = f"{name} {line['reason']}: {line['message']}"
        if state["type"] != "DELETED":
            state["type"] = "SEEN"
        raw = (line["kind"], line["raw"] + name)
        state.pop("raw")
        life = found.setdefault(raw, ContainerInstance(line["kind"], name, [], []))
        if not life.states or life.states[-1] != state:
            life.states.append(state)
            life.at_s.append(line["t"])
    return list(found.values())


def renamed(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with what chance decides replaced; `raw` keeps the name as it was."""
    sets = list(dict.fromkeys(line["name"] for line in lines if line["kind"] == "ReplicaSet"))
    text = yaml.safe_dump(lines, width=10**6, sort_keys=False)
    for number, name in enumerate(sets):
        text = re.sub(rf"\b{name}\b", f"SET{number}", text)
    text = re.sub(r"(SET\d+)-[a-z0-9]{5}\b", r"\1-POD", text)
    text = re.sub(r"(?m)(name: \S+?)-[bcdfghjklmnpqrstvwxz2456789]{5}$", r"\1-RAND", text)
    text = re.sub(r"\b([a-z]+)-[bcdfghjklmnpqrstvwxz2456789]{5}\b", r"\1-RAND", text)
    text = re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UID", text)
    text = re.sub(r"\bnode[12]\b", "NODE", text)
    text = re.sub(r"10\.244\.\d+\.\d+", "IP", text)
    loaded: list[dict[str, Any]] = yaml.safe_load(text)
    return [{**new, "raw": old["name"]} for new, old in zip(loaded, lines, strict=True)]


def without_noise(recording: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of a watch without what came from elsewhere."""
    evicting = any(EVICTING.search(action["run"]) for action in recording["actions"])
    kept = [line for line in recording["watch"] if not NOISE.search(line.get("message", ""))]
    if not evicting:
        for line in kept:
            line.get("conditions", {}).pop("DisruptionTarget", None)
    return kept


def alike(wanted: ContainerInstance, got: ContainerInstance, number: int, from_s: float) -> bool:
    """Whether a state came after as long a time as recorded, from the state before or an action."""
    recorded_s = wanted.at_s[number] - from_s
    before = from_s == wanted.at_s[number - 1]
    played_s = got.at_s[number] - (got.at_s[number - 1] if before else from_s)
    return (recorded_s < LONG_S and (before or played_s < LONG_S)) or (
        abs(played_s - recorded_s) <= TOLERANCE * recorded_s
    )


def difference(
    wanted: ContainerInstance, got: ContainerInstance, end_s: float, acted_s: Sequence[float] = ()
) -> list[str]:
    """How two lives differ: the first state or distance that does; nothing when they match."""
    if (wanted.kind, wanted.name) != (got.kind, got.name):
        return [f"- {wanted.kind} {wanted.name}", f"+ {got.kind} {got.name}"]
    for number in range(max(len(wanted.states), len(got.states))):
        one = wanted.states[number] if number < len(wanted.states) else None
        other = got.states[number] if number < len(got.states) else None
        if one is None and got.at_s[number] > end_s:
            return []
        if one != other:
            return [f"state {number}", f"- {one}", f"+ {other}"]
        if not number:
            continue
        since = [
            wanted.at_s[number - 1],
            *(at_s for at_s in acted_s if at_s - SKEW_S <= wanted.at_s[number]),
        ]
        if not any(alike(wanted, got, number, from_s) for from_s in (since[0], max(since))):
            recorded_s, played_s = (
                life.at_s[number] - life.at_s[number - 1] for life in (wanted, got)
            )
            return [f"time before state {number}", f"- {recorded_s:.1f} s", f"+ {played_s:.1f} s"]
    return []
