"""Demand of users' requests on components, from manifests and service model.

The mix of the load generators is followed through the operations of services to the stores, with the
settings of the manifests, as it is where everybody answers and caches are warm. What is done under a
condition that only a running system decides counts as done; what takes records from a queue is not
followed.
"""

from __future__ import annotations

import posixpath
import re
from base64 import b64decode
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from sregym_core.model import ObjectRef, containers_of, pod_spec

from sregym_apps.container_input import UNKNOWN, command_in, file_text, filled, mounted, variables
from sregym_apps.model import (
    WRITING,
    LoadGeneratorProgram,
    RegisterStep,
    ServiceProgram,
    StoreProgram,
    expand,
    is_on,
    placeholders,
    route_of,
    settings_found,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_core.model import Component

    from sregym_apps.manifests import KubeObject
    from sregym_apps.model import Client, Image, Program


# Users notice when more than this share of all their requests fails, or this one of an operation:
# those by which faults are confirmed.
VISIBLE_DROP, VISIBLE_LOSS = 0.02, 0.5


class Demand(NamedTuple):
    """Demand of users' requests on a component.

    Attributes:
        needed: Whether users notice where it does not answer: at once, or when others start anew.
        changed: Whether users notice where it takes no changes.
        millicores: What they take of a processor there, in thousandths: while caches before it are
            warm, and empty, as far as their callers can wait.
    """

    needed: bool
    changed: bool
    millicores: tuple[float, float]


class _Process(NamedTuple):
    """What the main container of a component runs, with the settings that it finds."""

    component: Component
    program: Program
    facts: Mapping[str, str]
    words: tuple[str, ...]
    environment: Mapping[str, str]

    def told(self, role: str) -> float:
        """The value of a setting with this role, where notes name its place; 0 for nothing."""
        for setting in self.component.settings:
            if setting.role == role:
                found = re.search(setting.argument, " ".join(self.words))
                text = found[0] if setting.argument and found else ""
                return _number(text or self.environment.get(setting.name, ""))
        return 0.0

    def on(self, text: str) -> bool:
        """Whether a condition may hold."""
        return bool(placeholders(filled := expand(text, self.facts))) or is_on(filled)


class _Asked(NamedTuple):
    """What one request asks of a component, directly or through others.

    Attributes:
        times: How often it comes there.
        needed: How often it fails where it is not answered.
        changes: How often it changes something there.
        cpu_ms: Processor time that it takes there.
        cold_cpu_ms: The same while the caches before it are empty.
    """

    times: float = 0.0
    needed: float = 0.0
    changes: float = 0.0
    cpu_ms: float = 0.0
    cold_cpu_ms: float = 0.0

    def plus(self, more: _Asked, often: float, needed: float, cold: float) -> _Asked:
        """With the demand of a further call, made so often, and so often where caches are empty."""
        return _Asked(
            self.times + often * more.times,
            self.needed + often * needed * more.needed,
            self.changes + often * more.changes,
            self.cpu_ms + often * more.cpu_ms,
            self.cold_cpu_ms + cold * more.cold_cpu_ms,
        )


_Need = dict[str, _Asked]


class _LeadsNowhereKnownError(Exception):
    """A call goes where manifests and model do not tell."""


def demands(
    components: Iterable[Component],
    runs: Mapping[str, tuple[Image, Program]],
    objects: Sequence[KubeObject],
) -> dict[str, Demand]:
    """Demand of users on each component, by name; of none where some way of requests is not known.

    Args:
        components: Of the application.
        runs: Image and program of the main containers, by name of the component.
        objects: Manifests, and what operators make.
    """
    try:
        return _Ways(components, runs, objects).demands()
    except _LeadsNowhereKnownError:
        return {}


class _Ways:
    def __init__(
        self,
        components: Iterable[Component],
        runs: Mapping[str, tuple[Image, Program]],
        objects: Sequence[KubeObject],
    ) -> None:
        by_ref = {ObjectRef.of(obj): obj for obj in objects}
        self._data = {
            (obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]): obj
            for obj in objects
            if obj["kind"] in ("ConfigMap", "Secret")
        }
        self._processes = {
            part.name: self._process(part, *runs[part.name], by_ref)
            for part in components
            if part.name in runs
        }
        self._serving: dict[tuple[str, str], str] = {}
        self._registered: dict[str, str] = {}
        for process in self._processes.values():
            part, program = process.component, process.program
            for use in part.services:
                self._serving.setdefault((use.ref.namespace, use.ref.name), part.name)
            for step in program.startup if isinstance(program, ServiceProgram) else ():
                if isinstance(step, RegisterStep):
                    self._registered[expand(step.name, process.facts)] = part.name
        self._first = self._dialed()
        self._known: dict[tuple[str, str], _Need] = {}
        self._waiting_m: dict[str, float] = defaultdict(float)

    def demands(self) -> dict[str, Demand]:
        """Of all components to which a request leads."""
        mix: dict[str, float] = defaultdict(float)
        needs: dict[str, dict[str, list[_Asked]]] = defaultdict(lambda: defaultdict(list))
        asked_s = 0.0
        for process in self._processes.values():
            if isinstance(process.program, LoadGeneratorProgram):
                asked_s += self._load(process, process.program, mix, needs)
        whole = sum(mix.values())
        if needs:  # who starts needs what no request may come to
            needs.update({name: {} for name in sorted(self._first) if name not in needs})
        return {
            name: self._demand(name, {one: n / whole for one, n in mix.items()}, asked_s, found)
            for name, found in needs.items()
        }

    def _load(
        self,
        process: _Process,
        program: LoadGeneratorProgram,
        mix: dict[str, float],
        needs: dict[str, dict[str, list[_Asked]]],
    ) -> float:
        """Follow the requests of a load generator; how many it sends in a second."""
        facts = process.facts
        place = expand(program.target, facts)
        for name, entry in program.mix.items():
            weight = _number(expand(entry.weight, facts)) * _number(expand(entry.times, facts))
            if not weight:
                continue
            found = self._operation(self._place(process, place), entry.request)
            told = entry.counts_as or name
            mix[told] += weight
            for other, asked in found.items():
                needs[other][told].append(asked)
        users = process.told("users") or _number(expand(program.users, facts))
        rate = process.told("rate") or _number(expand(program.rate, facts))
        return users / max(program.think_s, 0.1) if program.users else rate

    def _demand(
        self, name: str, mix: Mapping[str, float], asked_s: float, found: Mapping[str, list[_Asked]]
    ) -> Demand:
        each = {
            operation: _Asked(
                *(sum(values) / len(several) for values in zip(*several, strict=True))
            )
            for operation, several in found.items()
        }
        warm = asked_s * sum(mix[of] * one.cpu_ms for of, one in each.items())
        cold = asked_s * sum(mix[of] * one.cold_cpu_ms for of, one in each.items())
        return Demand(
            name in self._first or _noticed(mix, {of: one.needed for of, one in each.items()}),
            _noticed(mix, {of: one.changes for of, one in each.items()}),
            (warm, min(cold, self._waiting_m.get(name, cold))),
        )

    def _place(self, process: _Process, address: str) -> str:
        """The component behind an address; empty where that is none."""
        last = address.rpartition(",")[2]  # of several members any stands for all
        host = urlsplit(last if "://" in last else f"//{last}").hostname or ""
        name, *rest = *host.split("."), ""
        own = process.component.namespace
        # A Service, in its namespace or that of who asks; or a pod below its headless Service.
        places = ((rest[0], name), (own, name), (own, rest[0]), ("".join(rest[1:2]), rest[0]))
        return next((self._serving[place] for place in places if place in self._serving), "")

    def _operation(self, name: str, asked: str) -> _Need:
        """What an operation or command of a component asks of itself and others."""
        key = (name, asked)
        if key in self._known:
            return self._known[key]
        if name not in self._processes:
            raise _LeadsNowhereKnownError
        process = self._processes[name]
        program = process.program
        if isinstance(program, StoreProgram):
            changes = float(asked in WRITING)
            self._known[key] = {name: _Asked(1.0, 1.0, changes, program.cpu_ms, program.cpu_ms)}
            return self._known[key]
        if not isinstance(program, ServiceProgram):
            raise _LeadsNowhereKnownError
        if asked not in program.operations:
            method, _, path = asked.partition(" ")
            asked = route_of(program, method, path) or ""
        need: _Need = {}
        self._known[key] = need  # who asks in a circle is asked once
        if asked in program.operations:
            operation = program.operations[asked]
            cpu_ms = operation.cpu_ms
            need[name] = _Asked(1.0, 1.0, 0.0, cpu_ms, cpu_ms)
            self._calls(process, operation.calls, need, 1.0, 1.0)
        else:
            need[name] = _Asked(1.0, 1.0)
        return need

    def _calls(
        self, process: _Process, calls: Iterable[Any], need: _Need, often: float, cold: float
    ) -> None:
        for call in calls:
            if hasattr(call, "parallel"):
                self._calls(process, call.parallel, need, often, cold)
            elif hasattr(call, "cache"):
                self._call(process, call.cache, "get", need, often, cold, call.on_error.then)
                missed = 1.0 - call.hit_rate
                misses = cold * (1.0 if call.keys else missed)
                self._calls(process, call.miss, need, often * missed, misses)
            else:
                unmet = call.when is not None and not process.on(call.when)
                if unmet or (call.unless is not None and _surely(process, call.unless)):
                    continue
                client, _, command = call.call.partition(".")
                times = call.times * call.share
                then = call.on_error.then
                self._call(process, client, command, need, often * times, cold * times, then)

    def _call(
        self,
        process: _Process,
        name: str,
        command: str,
        need: _Need,
        often: float,
        cold: float,
        then: str,
    ) -> None:
        program = process.program
        assert isinstance(program, ServiceProgram)  # nothing else has clients
        client = program.clients[name]
        found = self._operation(self._behind(process, client), command)
        for other, asked in found.items():
            more = (asked, often, float(then != "ignore"), cold)
            need[other] = need.get(other, _Asked()).plus(*more)
            if asked.times == 1.0 and len(found) == 1:
                self._waits(process, client, other, asked.cpu_ms)

    def _behind(self, process: _Process, client: Client) -> str:
        """The component that a client leads to; empty where that is not known."""
        if client.registry is None:
            return self._place(process, expand(client.address, process.facts))
        return self._registered.get(expand(client.name, process.facts), "")

    def _dialed(self) -> frozenset[str]:
        """Components without which another does not start."""
        found = set()
        for process in self._processes.values():
            program = process.program
            if not isinstance(program, ServiceProgram):
                continue
            for step in program.startup:
                said = getattr(step, "dial", "") or getattr(step, "query", "")
                client = program.clients.get(said.partition(".")[0])
                if client is not None and step.on_failure.then != "continue":
                    found.add(self._behind(process, client))
        return frozenset(filter(None, found))

    def _waits(self, process: _Process, client: Client, store: str, cpu_ms: float) -> None:
        """Whether more processor time would let all requests that wait in a full pool be served in time."""
        if client.pool is None:
            self._waiting_m[store] = float("inf")
        else:
            seconds = client.timeout_s / max(1, process.component.replicas)
            most = client.pool / seconds * cpu_ms
            self._waiting_m[store] = max(self._waiting_m[store], most)

    def _process(
        self,
        part: Component,
        image: Image,
        program: Program,
        by_ref: Mapping[ObjectRef, KubeObject],
    ) -> _Process:
        workload = by_ref.get(part.workloads[0], {})
        container = next(
            (one for one in containers_of(workload) if one["name"] == part.container), {}
        )
        environment = {**image.env, **variables(self._content, part.namespace, container)}
        line = container.get("command") or image.entrypoint
        rest = container.get("args") or (() if container.get("command") else image.cmd)
        words = tuple(filled(str(word), environment) for word in (*line, *rest))
        words = command_in(words, {posixpath.basename(path) for path in image.binaries})
        mounts = mounted(self._content, part.namespace, pod_spec(workload), container)
        folder = str(container.get("workingDir") or image.working_dir)
        read = partial(file_text, mounts, image)
        found = settings_found(program.config, words[1:], environment, read, folder)
        told = {name: text for name, text in found.items() if UNKNOWN not in text}
        flags = program.flags if isinstance(program, LoadGeneratorProgram | ServiceProgram) else {}
        usual = {name: flag.default for name, flag in flags.items()}
        facts = {**usual, **told, "namespace": part.namespace}
        return _Process(part, program, facts, words, environment)

    def _content(self, kind: str, namespace: str, name: str) -> Mapping[str, str]:
        obj = self._data.get((kind, namespace, name), {})
        data = obj.get("data") or {}
        if kind == "Secret":
            hidden = {key: b64decode(text).decode(errors="replace") for key, text in data.items()}
            return {**hidden, **(obj.get("stringData") or {})}
        return data


def _noticed(mix: Mapping[str, float], often: Mapping[str, float]) -> bool:
    """Whether users notice what becomes of requests, by how often each operation makes them."""
    shares = {name: min(1.0, times) for name, times in often.items()}
    whole = sum(mix[name] * share for name, share in shares.items())
    return whole > VISIBLE_DROP or max(shares.values(), default=0.0) > VISIBLE_LOSS


def _surely(process: _Process, text: str) -> bool:
    """Whether a condition holds whatever happens."""
    told = expand(text, process.facts)
    return not placeholders(told) and is_on(told)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
