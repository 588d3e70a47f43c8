"""What programs request of each other: addresses, protocols, operations, collections and topics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_lint import Defect, no_such

from sregym_apps.lint.reaching import ResolvedAddress
from sregym_apps.lint.services import declared
from sregym_apps.model import (
    CacheAside,
    Call,
    Parallel,
    QueryStep,
    SeedStep,
    ServiceProgram,
    StoreProgram,
    route_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_lint import Location

    from sregym_apps.lint.container_programs import Running
    from sregym_apps.lint.reaching import Network
    from sregym_apps.model import AnyCall, Client, Program

_WORD = re.compile(r"[A-Za-z_][\w.-]*")
# Commands that make what they name, when it is not there.
_MAKING = frozenset({"insert", "set", "put", "add"})


def clients(network: Network) -> Iterator[Defect]:
    """Clients whose address or name leads nowhere, or to another protocol."""
    told: set[Location] = set()
    for one in network.containers:
        for name, client in getattr(one.program, "clients", {}).items():
            if _only_at_times(one.program, name):
                continue
            reached = servers_reached_by(network, one, client)
            field = "name" if client.registry else "address"
            where: Location = ("programs", one.name, "clients", name, field)
            wrong = reached.wrong or _protocols(network, reached, client)
            if wrong and where not in told:
                told.add(where)
                yield network.files.model_defect(where, wrong)
        tracing = getattr(one.program, "tracing", None)
        collector = one.value(tracing.collector) if tracing is not None else None
        where = ("programs", one.name, "tracing", "collector")
        wrong = network.reach(one, collector, 0).wrong if collector else ""
        # Spans go over UDP and HTTP; which ports a collector has is its own affair.
        if wrong.startswith("there is no Service") and where not in told:
            told.add(where)
            yield network.files.model_defect(where, wrong)


def _only_at_times(program: Program, client: str) -> bool:
    """Whether all calls of a client are made under conditions: it may be meant to lead nowhere."""
    operations = getattr(program, "operations", {}).values()
    made = [
        call
        for operation in operations
        for call in operation.calls
        if isinstance(call, Call) and call.call.partition(".")[0] == client
    ]
    return bool(made) and all(call.when is not None for call in made)


def servers_reached_by(network: Network, one: Running, client: Client) -> ResolvedAddress:
    """Whom a client of a container meets."""
    if client.registry is None:
        address = one.value(client.address)
        return network.reach(one, address, client.wire.port) if address else ResolvedAddress()
    name = one.value(client.name)
    if _is_broker(one, client.registry):
        return _takers(network, name)
    registered = [*network.registered()]
    if name is None or any(not known for known, _, _ in registered):
        return ResolvedAddress()
    found = [(who, port) for known, who, port in registered if known == name]
    if not found:
        known = [known for known, _, _ in registered]
        return ResolvedAddress(no_such("name", name, known, "at the registry"))
    listeners = (
        (who, who.ports().get(int(port))) for who, port in found if port and port.isdecimal()
    )
    return ResolvedAddress("", tuple((who, name) for who, name in listeners if name is not None))


def _is_broker(one: Running, client: str) -> bool:
    known = getattr(one.program, "clients", {}).get(client)
    return known is not None and known.wire.messaging


def _takers(network: Network, topic: str | None) -> ResolvedAddress:
    """Programs that consume a topic, also those that other programs pass requests on to."""
    if topic is None:
        return ResolvedAddress()
    known = [
        (who.value(consumer.topic), who)
        for who in network.containers
        for consumer in getattr(who.program, "consumers", {}).values()
    ]
    found = tuple((who, "") for taken, who in known if taken in (topic, None))
    if not found:
        return ResolvedAddress(
            no_such("topic", topic, [one for one, _ in known if one], "that is taken")
        )
    return ResolvedAddress("", found)


def _protocols(network: Network, reached: ResolvedAddress, client: Client) -> str:
    for one, listener in reached.containers:
        if not listener:
            continue  # what passes a broker is met at no port
        if isinstance(one.program, ServiceProgram):
            spoken = {one.program.listeners[listener].protocol}
        else:
            kind = network.files.known.kinds.get(one.program.kind)
            spoken = {protocol.name for protocol in kind.protocols} if kind else set()
        if spoken and client.protocol not in spoken:
            words = " or ".join(sorted(spoken))
            return f"program {one.name!r} speaks {words} there, and this client {client.protocol}"
    return ""


def calls(network: Network) -> Iterator[Defect]:
    """Operations that the callee does not have; collections, topics and queues that are not declared."""
    told: set[tuple[Location, str]] = set()
    kept = _kept(network)
    for one in network.containers:
        for where, client_name, operation, collection in _asked(one.program):
            client = getattr(one.program, "clients", {}).get(client_name)
            if client is None:
                continue
            reached = servers_reached_by(network, one, client)
            here: Location = ("programs", one.name, *where)
            for field, what in _wrong(one, client, reached, operation, collection, kept):
                place = (*here[:-1], field) if field else here
                if (place, what) not in told:
                    told.add((place, what))
                    yield network.files.model_defect(place, what)


def _wrong(
    one: Running,
    client: Client,
    reached: ResolvedAddress,
    operation: str,
    collection: str,
    kept: _Kept,
) -> Iterator[tuple[str, str]]:
    for callee, listener in reached.containers[:1]:
        program = callee.program
        if isinstance(program, ServiceProgram):
            method, _, path = operation.partition(" ")
            there = program.operations.get(operation)
            if client.protocol == "http" and path and route_of(program, method, path):
                return
            if there is None and operation:
                served = [n for n, o in program.operations.items() if o.listener == listener]
                routes = [o.route for o in program.operations.values() if o.route]
                known = routes if path else served
                yield "", f"program {callee.name!r}: {no_such('operation', operation, known)}"
        elif isinstance(program, StoreProgram):
            if client.wire.commands and operation and operation not in client.wire.commands:
                what = no_such("command", operation, client.wire.commands)
                yield "", f"protocol {client.protocol!r}: {what}"
            name = one.value(collection)
            if name and operation not in _MAKING and not kept.has(callee, name):
                noun = "topic or queue" if client.wire.messaging else "collection or table"
                yield (
                    "collection" if operation else "topic",
                    f"program {callee.name!r}: {no_such(noun, name, kept.names(callee))}",
                )


class _Kept:
    """What datastores and brokers hold: declared, seeded, or named in scripts of the manifests.

    Args:
        network: Of the application.
    """

    def __init__(self, network: Network) -> None:
        self._names: dict[str, set[str]] = {}
        # Scripts that make databases, tables and topics stand in ConfigMaps and commands.
        self._mentioned = {
            word
            for obj in network.files.objects
            if obj.kind != "Service"
            for text in _texts(obj.data)
            for word in _WORD.findall(text)
            if len(text) > len(word)
        }

    def add(self, store: Running, names: Iterable[str]) -> None:
        """A store holds more."""
        self._names.setdefault(store.name, set()).update(names)

    def has(self, store: Running, name: str) -> bool:
        """Whether it holds this, or may."""
        return name in self._names.get(store.name, ()) or name in self._mentioned

    def names(self, store: Running) -> set[str]:
        """What it is known to hold."""
        return self._names.get(store.name, set())


def _kept(network: Network) -> _Kept:
    kept = _Kept(network)
    for one in network.containers:
        kept.add(one, declared(one.program))
        steps = [step for step in getattr(one.program, "startup", ()) if isinstance(step, SeedStep)]
        made = [(step.seed.partition(".")[0], step.seed.partition(".")[2]) for step in steps]
        made += [
            (client, collection)
            for _, client, operation, collection in _asked(one.program)
            if operation in _MAKING
        ]
        for client_name, collection in made:
            client = getattr(one.program, "clients", {}).get(client_name)
            if client is not None and (name := one.value(collection)):
                for store, _ in servers_reached_by(network, one, client).containers:
                    kept.add(store, [name])
    return kept


def _asked(program: Any) -> Iterator[tuple[Location, str, str, str]]:
    """What a program asks: where that stands, client, operation, and collection or topic."""
    for index, step in enumerate(getattr(program, "startup", ())):
        if isinstance(step, QueryStep):
            client, _, command = step.query.partition(".")
            yield ("startup", index, "query"), client, command, step.collection
    for name, operation in getattr(program, "operations", {}).items():
        yield from _of_calls(operation.calls, ("operations", name, "calls"))
    for name, consumer in getattr(program, "consumers", {}).items():
        yield ("consumers", name, "topic"), consumer.client, "", consumer.topic


def _of_calls(
    made: tuple[AnyCall, ...], here: Location
) -> Iterator[tuple[Location, str, str, str]]:
    for index, call in enumerate(made):
        if isinstance(call, Parallel):
            yield from _of_calls(call.parallel, (*here, index, "parallel"))
        elif isinstance(call, CacheAside):
            yield from _of_calls(call.miss, (*here, index, "miss"))
        elif isinstance(call, Call):
            client, _, operation = call.call.partition(".")
            yield (*here, index, "call"), client, operation, call.collection


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value)
    elif isinstance(data, str):
        yield data
