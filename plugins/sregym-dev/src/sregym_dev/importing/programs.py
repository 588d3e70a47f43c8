"""Programs of the team as a service model describes them: settings, start, listeners, calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_dev.importing.clients import client_of
from sregym_dev.importing.entrance import RATE
from sregym_dev.importing.listening import Listener, listeners_of
from sregym_dev.importing.stores import Store, store_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_dev.importing.call_graph import Edge, Network
    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.remarks import Remarks
    from sregym_dev.importing.roles import Group

_NOT_IN_NAMES = re.compile(r"[^a-z0-9_]+")
# What a program takes where its pods name no limit.
_USUAL_MIB = 48
# Part of the limit of a program's processors that the requests of all users take at most.
_BUSY = 0.25


@dataclass
class Program:
    """A program of the team, while it is put together.

    Attributes:
        name: In the service model.
        group: The containers that run it.
        listeners: Its ports.
        config: Its settings.
        needed: Settings without which it does not start.
        startup: Steps before it listens.
        clients: By name.
        calls: What each of its operations asks, by the name of who is called.
    """

    name: str
    group: Group
    listeners: list[Listener]
    config: dict[str, dict[str, Any]] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    startup: list[dict[str, Any]] = field(default_factory=list)
    clients: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    consumers: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def parts(self) -> list[Part]:
        """The containers that run it."""
        return self.group.parts

    @property
    def ends(self) -> bool:
        """Whether it works and exits."""
        return all(part.ends for part in self.parts)

    def listener_at(self, number: int) -> Listener | None:
        """The listener of a port."""
        return next((one for one in self.listeners if one.port == number), None)

    def setting(self, source: Any) -> str:
        """The name of a setting that is read from a source; it is added where it is not there."""
        given = source.setting()
        for name, known in self.config.items():
            if {k: v for k, v in known.items() if k != "default"} == given:
                return name
        name = _NOT_IN_NAMES.sub("_", source.name.lower()).strip("_") or "setting"
        while name in self.config:
            name += "_2"
        everywhere = all(source.env in part.env for part in self.parts) if source.env else True
        if everywhere and len({part.component for part in self.parts}) == 1:
            self.config[name] = given
            self.needed.append(name)
        else:
            self.config[name] = {**given, "default": source.value}
        return name


def program_of(group: Group, network: Network, edges: Sequence[Edge]) -> Program:
    """A program with its listeners; calls are added by `with_calls`."""
    lasting = [part for part in group.parts if not part.ends]
    program = Program(group.name, group, listeners_of(lasting, network, edges))
    for one in program.listeners:
        if one.setting:
            name = _NOT_IN_NAMES.sub("_", one.setting.lower())
            given = {"env": one.setting, "type": "integer", "default": one.port}
            program.config[name] = given
    return program


def with_calls(
    program: Program,
    edges: Iterable[Edge],
    programs: Mapping[int, Program],
    stores: Mapping[int, Store],
    remarks: Remarks,
) -> None:
    """Add what a program calls.

    Args:
        program: The program that these containers run.
        edges: Calls of its containers.
        programs: Identity of a container -> its program.
        stores: Identity of a container -> the server it is.
        remarks: Told what is guessed.
    """
    for edge in edges:
        store, callee = stores.get(id(edge.callee)), programs.get(id(edge.callee))
        listener = callee.listener_at(edge.number) if callee else None
        client = client_of(program, edge, store, listener, remarks)
        name = edge.service["metadata"]["name"]
        if name in program.clients and program.clients[name]["address"] != client["address"]:
            name = f"{name}-{edge.port}"
        if name in program.clients:
            continue
        program.clients[name] = client
        calls = [{"call": f"{name}.{_operation_asked(callee, edge.number)}"}]
        if store is not None and store.protocol:
            steps, calls = store_calls(store, name, edge.caller)
            late = {"log": [{"level": "warn", "text": f"cannot reach {name}: ${{error}}"}]}
            for step in ({"dial": name}, *steps):
                again = {**late, "then": "retry", "every_s": 3}
                program.startup.append({**step, "on_failure": again})
        if calls:
            said = {"log": [{"level": "error", "text": f"{name}: ${{error}}"}]}
            program.calls[edge.callee.component] = [{**one, "on_error": said} for one in calls]


def _operation_asked(callee: Program | None, number: int) -> str:
    if callee is None:
        return "GET /"
    listener = callee.listener_at(number)
    if listener is None or listener.protocol == "http":
        return "GET /"
    return "Serve" if listener is callee.listeners[0] else f"Serve{number}"


def described(program: Program, split: bool) -> dict[str, Any]:
    """The entry of a program in the service model.

    Args:
        program: With its calls.
        split: Whether users come in here: then it has an operation for each that it calls.
    """
    found: dict[str, Any] = {"log": {"format": "json"}}
    if program.config:
        found["config"] = program.config
    found["memory"] = {"base_mib": _memory(program.parts)}
    steps = list(program.startup)
    if program.needed:
        missing = {"log": [{"level": "error", "text": "${key} is not set"}], "code": 1}
        steps.insert(0, {"require": program.needed, "on_failure": missing})
    if program.ends:
        found["startup"] = [*steps, {"log": "done"}, {"exit": 0}]
    else:
        steps += [{"listen": one.name} for one in program.listeners]
        found["startup"] = [*steps, {"log": _started(program)}]
    if program.listeners and not program.ends:
        found["listeners"] = {one.name: _listener(one) for one in program.listeners}
    if program.clients:
        found["clients"] = program.clients
    if program.consumers:
        found["consumers"] = program.consumers
    if not program.ends and (operations := _operations(program, split) | _work(program)):
        found["operations"] = operations
        if "work" in operations and not program.consumers:
            # A worker asks all it knows once a second, whatever becomes of it.
            often = {"times": 1_000_000_000, "rate": 1, "tolerates": 1}
            found["startup"].append({"run": "work", **often})
    return found


def _listener(one: Listener) -> dict[str, Any]:
    port = f"${{{_NOT_IN_NAMES.sub('_', one.setting.lower())}}}" if one.setting else one.port
    return {"protocol": one.protocol, "port": port} | ({"tls": True} if one.tls else {})


def _work(program: Program) -> dict[str, Any]:
    """What a program without requests does: for each message that it takes, or by itself."""
    calls = [call for one in program.calls.values() for call in one]
    idle = not program.listeners and bool(calls)
    return {"work": _operation(program, "", calls)} if program.consumers or idle else {}


def _operations(program: Program, split: bool) -> dict[str, Any]:
    """One for each listener that Services lead to; for users one for each that is called."""
    found: dict[str, Any] = {}
    for index, listener in enumerate(program.listeners):
        calls = [call for one in program.calls.values() for call in one] if not index else []
        if listener.protocol != "http":
            name = "Serve" if not index else f"Serve{listener.port}"
            found[name] = _operation(program, listener.name, calls)
            continue
        tail = "" if not index else f"-{listener.port}"
        for path in listener.paths:
            if path != "/":
                name = f"probe-{re.sub(r'[^a-z0-9]+', '-', path.lower()).strip('-')}{tail}"
                found[name] = _operation(program, listener.name, [], f"GET {path}")
        if index:
            found[f"serve{tail}"] = _operation(program, listener.name, [], "GET /*")
        elif split:
            found |= _of_users(program, listener)
        else:
            found["serve"] = _operation(program, listener.name, calls, "GET /*")
    return found


def _of_users(program: Program, listener: Listener) -> dict[str, Any]:
    """What users do: the page itself, and something with each that it calls."""
    if len(program.calls) <= 1:
        calls = [call for one in program.calls.values() for call in one]
        return {"home": _operation(program, listener.name, calls, "GET /")}
    found = {
        name: _operation(program, listener.name, calls, f"GET /{name}")
        for name, calls in sorted(program.calls.items())
    }
    return {"home": _operation(program, listener.name, [], "GET /"), **found}


def _operation(
    program: Program, listener: str, calls: Sequence[Mapping[str, Any]], route: str = ""
) -> dict[str, Any]:
    found: dict[str, Any] = {"listener": listener}
    if route:
        found["route"] = route
    found["cpu_ms"] = _cpu_ms(program.parts, 1.0 if calls else 0.5)
    if calls:
        found["calls"] = list(calls)
    return found


def _cpu_ms(parts: Sequence[Part], usual: float) -> float:
    """Work of a request with which the smallest limit of the containers suffices for all users."""
    limits = [limit for part in parts if (limit := part.cpu_limit_cores()) is not None]
    return min(usual, round(min(limits) * 1000 * _BUSY / RATE, 4)) if limits else usual


def _started(program: Program) -> str:
    ports = ", ".join(str(_listener(one)["port"]) for one in program.listeners)
    return f"listening on {ports}" if ports else "started"


def _memory(parts: Sequence[Part]) -> int:
    """A working set that fits the smallest limit of the containers."""
    limits = [limit for part in parts if (limit := part.memory_limit_mib()) is not None]
    return max(2, min(_USUAL_MIB, int(min(limits) * 0.4))) if limits else _USUAL_MIB
