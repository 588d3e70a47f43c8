"""Sequences: what a watcher sees, compared with what one saw on a real cluster.

The unit is one object of a recording. It matches when its states follow each other as recorded and
the time between two of them, where that is long, is the recorded time within 30 %.
"""

from __future__ import annotations

import re
import tempfile
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
FREEZE = re.compile(r"(stop|cont) (\S+) \(kubelet")


@dataclass
class Life:
    """What was seen of one object: its states in order, each with when it was seen first."""

    kind: str
    name: str
    states: list[dict[str, Any]]
    at_s: list[float]


def replay(path: Path) -> Result:
    """Perform the actions of a recording and compare what a watcher sees."""
    recording = load(path)
    wanted = lives(recording["watch"])
    got = lives(play(recording))
    result = Result("sequences", recording["id"])
    for life in wanted:
        result.total += 1
        twin = next((other for other in got if not difference(life, other)), None)
        if twin is not None:
            got.remove(twin)
            result.matched += 1
            continue
        alike = [other for other in got if (other.kind, other.name) == (life.kind, life.name)]
        lines = difference(life, alike[0]) if alike else ["- seen", "+ no such object"]
        result.failures.append(Failure(0, f"{life.kind} {life.name}", tuple(lines)))
    return result


def play(recording: dict[str, Any]) -> list[dict[str, Any]]:
    """What a watcher sees of the recording's actions, with its seconds."""
    world = fresh_world(recording["id"])
    seen: list[tuple[float, Change]] = []

    def note(changed: World, change: Change) -> None:
        seen.append((changed.now, change))

    constitution = world.constitution
    world.constitution = replace(constitution, listeners=(*constitution.listeners, note))
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
            shell.advance(began + recording["seconds"] - shell.now)
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


def lives(lines: list[dict[str, Any]]) -> list[Life]:
    """The objects of a watch in order of appearance, with generated names replaced."""
    found: dict[tuple[str, str], Life] = {}
    for line in renamed(lines):
        state = {key: value for key, value in line.items() if key not in ("t", "name")}
        name = line["name"]
        if line["kind"] == "Event":
            name = f"{name} {line['reason']}: {line['message']}"
        if state["type"] != "DELETED":
            state["type"] = "SEEN"
        raw = (line["kind"], line["raw"] + name)
        state.pop("raw")
        life = found.setdefault(raw, Life(line["kind"], name, [], []))
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


def difference(wanted: Life, got: Life) -> list[str]:
    """How two lives differ: the first state or distance that does; nothing when they match."""
    if (wanted.kind, wanted.name) != (got.kind, got.name):
        return [f"- {wanted.kind} {wanted.name}", f"+ {got.kind} {got.name}"]
    for number in range(max(len(wanted.states), len(got.states))):
        one = wanted.states[number] if number < len(wanted.states) else None
        other = got.states[number] if number < len(got.states) else None
        if one != other:
            return [f"state {number}", f"- {one}", f"+ {other}"]
        if not number:
            continue
        recorded_s = wanted.at_s[number] - wanted.at_s[number - 1]
        played_s = got.at_s[number] - got.at_s[number - 1]
        if recorded_s >= LONG_S and abs(played_s - recorded_s) > TOLERANCE * recorded_s:
            return [f"time before state {number}", f"- {recorded_s:.1f} s", f"+ {played_s:.1f} s"]
    return []
