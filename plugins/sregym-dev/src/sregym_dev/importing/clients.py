"""Clients of programs: protocol, address, account, each by the setting that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.simulation import installed

from sregym_dev.importing.references import database_in, sibling

if TYPE_CHECKING:
    from sregym_dev.importing.call_graph import Edge
    from sregym_dev.importing.listening import Listener
    from sregym_dev.importing.programs import Program
    from sregym_dev.importing.remarks import Remarks
    from sregym_dev.importing.stores import Store

# Protocols whose clients have an account.
_WITH_ACCOUNTS = ("postgres", "mysql", "mongodb", "amqp")


def client_of(
    program: Program, edge: Edge, store: Store | None, listener: Listener | None, remarks: Remarks
) -> dict[str, Any]:
    """The client by which a program makes a call.

    Args:
        program: Who calls; settings are added to it.
        edge: The call.
        store: The server that is called; None for a program.
        listener: Of the program that is called; None for a server, and where none is known.
        remarks: Told what is guessed.
    """
    protocol = store.protocol if store else listener.protocol if listener else "tcp"
    protocol = protocol or "http"
    client: dict[str, Any] = {"protocol": protocol}
    client["address"] = _address(program, edge, protocol, remarks)
    if store is not None and protocol in _WITH_ACCOUNTS:
        client |= _account(program, edge, store, remarks)
    if store is not None and protocol == "keyvalue":
        client |= _of_sibling(program, edge, "password")
    client["timeout_s"] = 2 if store is None else 3
    return client


def _address(program: Program, edge: Edge, protocol: str, remarks: Remarks) -> str:
    service, space = edge.service["metadata"]["name"], edge.service["metadata"]["namespace"]
    host = service if space == edge.caller.namespace else f"{service}.{space}"
    literal = f"{host}:{edge.port}"
    one = edge.reference
    if one is None:
        return literal
    if not one.whole or one.source.setting() is None:
        text = (
            f"calls {literal}, which stands in {one.source.shown}: a change there is not followed"
        )
        remarks.guessed(edge.caller.where, text)
        return literal
    wire = installed().protocol(protocol)
    usual = 443 if one.scheme == "https" else wire.port
    if one.port or usual == edge.port:
        return f"${{{program.setting(one.source)}}}"
    if "/" in one.source.value:
        return literal
    name = program.setting(one.source)
    beside = sibling(edge.caller, one.source, "port")
    if beside is not None and beside.value == str(edge.port) and beside.setting() is not None:
        return f"${{{name}}}:${{{program.setting(beside)}}}"
    return f"${{{name}}}:{edge.port}"


def _account(program: Program, edge: Edge, store: Store, remarks: Remarks) -> dict[str, Any]:
    """User, password and database: of the address, beside it, or of the server's environment."""
    user, password, database = store.account()
    found: dict[str, Any] = {}
    in_address = edge.reference is not None and "@" in edge.reference.source.value
    given = _of_sibling(program, edge, "user") | _of_sibling(program, edge, "password")
    if not in_address or (edge.reference is not None and not edge.reference.whole):
        found |= given
        if "user" not in found and user:
            found |= {"user": user} | ({"password": password} if password else {})
            text = f"asks {store.kind} as {user!r}, the account of the server's own environment"
            remarks.guessed(edge.caller.where, text)
    if store.kind == "rabbitmq":
        return found
    wanted, where = _database(edge)
    if wanted and not store.makes(wanted):
        if store.make(wanted):
            remarks.guessed(edge.caller.where, f"its database {wanted!r} is there from the start")
        else:
            text = f"its database is {database!r}, since nothing in the files makes {wanted!r}"
            remarks.guessed(edge.caller.where, text)
            wanted, where = database, {}
    if where:
        found["database"] = f"${{{program.setting(where)}}}"
    elif wanted or database:
        found["database"] = wanted or database
    elif store.kind == "mysql":
        store.make("app")
        found["database"] = "app"
        remarks.guessed(edge.caller.where, "its database is called 'app'")
    return found


def _database(edge: Edge) -> tuple[str, Any]:
    """The database that a caller wants, and the setting that says so."""
    if edge.reference is None:
        return "", None
    beside = sibling(edge.caller, edge.reference.source, "database")
    if beside is not None and beside.setting() is not None:
        return beside.value, beside
    return database_in(edge.reference.source.value), None


def _of_sibling(program: Program, edge: Edge, what: str) -> dict[str, Any]:
    if edge.reference is None:
        return {}
    beside = sibling(edge.caller, edge.reference.source, what)
    if beside is None or beside.setting() is None or not beside.value:
        return {}
    return {what: f"${{{program.setting(beside)}}}"}
