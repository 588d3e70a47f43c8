"""Notes that follow from programs: who calls a component, and which users' operations pass through it.

A program calls the component whose name is the host of a client's address. An operation of a load
generator passes through what its request reaches, and what that calls in turn, by way of a broker
too; what a broker hands on later, or a program dials when it starts, is not on its way.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The notes that can be derived.
DERIVED = ("callers", "operations")
_SETTING = re.compile(r"\$\{([^}]*)\}")


def with_derived(
    notes: Mapping[str, Any],
    programs: Mapping[str, Any],
    runners: Mapping[str, Sequence[str]],
    names: Sequence[str],
    objects: Mapping[str, Sequence[Mapping[str, Any]]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Notes on components, completed where they lack an entry.

    Args:
        notes: Component -> notes.
        programs: Name -> program, as written in a service model.
        runners: Program -> components that run it; one that is missing here runs in the component
            of its name.
        names: What to derive, of `DERIVED`.
        objects: Component -> its manifests: what its variables of the environment are, where a
            setting has no default.
    """
    known = {
        name: _configured(program, runners.get(name, (name,)), objects)
        for name, program in programs.items()
        if isinstance(program, dict)
    }
    paths = _Paths(notes, known, runners)
    derived = {"callers": paths.callers(), "operations": paths.operations()}
    return {
        name: {**{key: derived[key][name] for key in names}, **note}
        if isinstance(note, dict)
        else note
        for name, note in notes.items()
    }


def _configured(
    program: dict[str, Any],
    components: Sequence[str],
    objects: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """A program whose settings have the values of its manifests for defaults where they have none."""
    values = {
        name: value
        for component in components
        for obj in objects.get(component, ())
        for name, value in _variables(obj)
    }
    config = program.get("config") or {}
    found = {
        name: {**setting, "default": values[setting["env"]]}
        for name, setting in config.items()
        if "default" not in setting and setting.get("env") in values
    }
    return {**program, "config": {**config, **found}} if found else program


def _variables(obj: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Variables of the environment that a manifest gives a value."""
    if obj.get("kind") == "ConfigMap":
        yield from (obj.get("data") or {}).items()
    template = (obj.get("spec") or {}).get("template") or {}
    for container in (template.get("spec") or {}).get("containers") or ():
        for entry in container.get("env") or ():
            if "value" in entry:
                yield entry["name"], entry["value"]


class _Paths:
    """Components and the ways between them.

    Args:
        notes: Component -> notes.
        programs: Name -> program.
        runners: Program -> components that run it.
    """

    def __init__(
        self,
        notes: Mapping[str, Any],
        programs: Mapping[str, dict[str, Any]],
        runners: Mapping[str, Sequence[str]],
    ) -> None:
        self._notes = notes
        self._programs = programs
        self._components = {
            name: [one for one in runners.get(name, (name,)) if one in notes]
            for name in self._programs
        }
        self._run: dict[str, list[dict[str, Any]]] = {name: [] for name in notes}
        for name, components in self._components.items():
            for component in components:
                self._run[component].append(self._programs[name])

    def callers(self) -> dict[str, list[str]]:
        """Component -> those that have a client of it, in the order of the notes."""
        found: dict[str, list[str]] = {name: [] for name in self._notes}
        for caller in self._notes:
            for program in self._run[caller]:
                for address in _addresses(program):
                    callee = self._at(program, address)
                    if callee and callee != caller and caller not in found[callee]:
                        found[callee].append(caller)
        return found

    def operations(self) -> dict[str, list[str]]:
        """Component -> operations of users that pass through it, in the order of the load."""
        found: dict[str, list[str]] = {name: [] for name in self._notes}
        for name, program in self._programs.items():
            if program.get("kind") != "load-generator":
                continue
            entry = self._at(program, program.get("target", ""))
            for operation, request in program["mix"].items():
                passed: set[tuple[str, str]] = set()
                if entry:
                    self._follow(entry, str(request["request"]), passed)
                through = {component for component, _ in passed} | set(self._components[name])
                for component in self._notes:
                    if component in through and operation not in found[component]:
                        found[component].append(operation)
        return found

    def _follow(self, component: str, request: str, passed: set[tuple[str, str]]) -> None:
        if (component, request) in passed:
            return
        passed.add((component, request))
        for program in self._run[component]:
            for client, asked in _calls_for(program, request):
                for callee in self._reached(program, client):
                    self._follow(callee, asked, passed)

    def _reached(self, program: Mapping[str, Any], client: Mapping[str, Any]) -> list[str]:
        """The components that answer a client."""
        if not client.get("registry"):
            return [name for name in (self._at(program, client.get("address", "")),) if name]
        topic = _by_default(program, client.get("name", ""))
        return [
            component
            for component in self._notes
            for taker in self._run[component]
            if any(
                _by_default(taker, consumer["topic"]) == topic
                for consumer in (taker.get("consumers") or {}).values()
            )
        ]

    def _at(self, program: Mapping[str, Any], address: str) -> str:
        """The component at an address, as settings have it by default; empty where there is none."""
        text = _by_default(program, address)
        place = (text.partition("://")[2] or text).partition("/")[0].rpartition("@")[2]
        name = place.partition(":")[0].partition(".")[0]
        return name if name in self._notes else ""


def _by_default(program: Mapping[str, Any], text: str) -> str:
    """A text with the settings of a program as they are by default."""
    config = program.get("config") or {}

    def default(setting: re.Match[str]) -> str:
        return str((config.get(setting[1]) or {}).get("default", ""))

    return _SETTING.sub(default, str(text))


def _addresses(program: Mapping[str, Any]) -> Iterator[str]:
    """Where the clients of a program go, its spans included."""
    for client in (program.get("clients") or {}).values():
        yield client.get("address", "")
    for route in (program.get("routes") or {}).values():
        yield route.get("upstream", "")
    yield (program.get("tracing") or {}).get("collector", "")
    if program.get("kind") == "load-generator":
        yield program.get("target", "")


def _calls_for(program: Mapping[str, Any], request: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """What a program asks of others to answer a request: the client, and what is asked there."""
    for route in (program.get("routes") or {}).values():
        if route.get("upstream") and _serves(route["request"], request):
            yield {"address": route["upstream"]}, route.get("ask") or request
            return
    clients = program.get("clients") or {}
    for name, operation in (program.get("operations") or {}).items():
        if _serves(operation.get("route") or name, request):
            for call in _each(operation.get("calls") or ()):
                client, _, asked = call.partition(".")
                yield clients.get(client) or {}, asked
            return


def _serves(wanted: str, request: str) -> bool:
    """Whether a route, or the name of an operation, is what a request asks for."""
    bare = request.partition("?")[0]
    return bare.startswith(wanted[:-1]) if wanted.endswith("*") else bare == wanted


def _each(calls: Sequence[Any]) -> Iterator[str]:
    """All calls of an operation, those within others included."""
    for call in calls:
        if "call" in call:
            yield call["call"]
        elif "cache" in call:
            yield f"{call['cache']}.get"
            yield from _each(call.get("miss") or ())
        else:
            yield from _each(call.get("parallel") or ())
