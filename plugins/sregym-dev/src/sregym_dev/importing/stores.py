"""Servers of known kinds among the containers, and what programs ask of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_apps.model.loading import program_of
from sregym_apps.simulation import Installed, installed

from sregym_dev.importing.executables import SUCCEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.remarks import Remarks
    from sregym_dev.importing.roles import Role

# Documents that a first guess puts into what programs read.
_DOCUMENTS = 100
# Where environments name topics and queues.
_TOPIC = re.compile(r"(TOPIC|QUEUE)(_NAME)?$", re.IGNORECASE)
_NAME = re.compile(r"^[A-Za-z0-9][\w.-]*$")
# Kind -> variables of the official image: user, password, database; and the user without one.
_ACCOUNTS = {
    "postgres": ("POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB", "postgres"),
    "mysql": ("MYSQL_USER", "MYSQL_PASSWORD", "MYSQL_DATABASE", ""),
    "mongodb": (
        "MONGO_INITDB_ROOT_USERNAME",
        "MONGO_INITDB_ROOT_PASSWORD",
        "MONGO_INITDB_DATABASE",
        "",
    ),
    "rabbitmq": (
        "RABBITMQ_DEFAULT_USER",
        "RABBITMQ_DEFAULT_PASS",
        "RABBITMQ_DEFAULT_VHOST",
        "guest",
    ),
}
_FILES_OF_INIT = "/docker-entrypoint-initdb.d/"


@dataclass
class Store:
    """A server of a known kind: a program of the service model, and the image it is in.

    Attributes:
        name: Of the program.
        kind: Of the server.
        image: Entry of the image.
        entry: Entry of the program.
        protocol: What it speaks; empty where no protocol is known.
        parts: Containers that run it.
    """

    name: str
    kind: str
    image: dict[str, Any]
    entry: dict[str, Any]
    protocol: str
    parts: list[Part] = field(default_factory=list)

    def variable(self, name: str) -> str:
        """A variable of the first container, or of the image."""
        return self.parts[0].told.get(name, "") or str(self.image.get("env", {}).get(name, ""))

    def account(self) -> tuple[str, str, str]:
        """User, password and database that its environment makes; empty for none."""
        names = _ACCOUNTS.get(self.kind)
        if names is None:
            return "", "", ""
        user, password, database = map(self.variable, names[:3])
        if self.kind == "mysql" and not user:
            user, password = "root", self.variable("MYSQL_ROOT_PASSWORD")
            password = password or self.variable("MARIADB_ROOT_PASSWORD")
        user = user or (names[3] if password else "")
        if self.kind == "postgres":
            user, database = user or "postgres", database or user or "postgres"
        return user, password, database

    def makes(self, database: str) -> bool:
        """Whether its environment or its scripts make a database, as far as the files say."""
        scripts = " ".join(
            text
            for part in self.parts
            for path, text in part.files.items()
            if path.startswith(_FILES_OF_INIT)
        )
        return database == self.account()[2] or database in scripts

    def make(self, database: str) -> bool:
        """Let the image make a database where it makes none; False where it makes another."""
        names = _ACCOUNTS.get(self.kind)
        if self.kind == "mongodb":
            return True  # it makes what is asked for
        if names is None or self.variable(names[2]):
            return False
        self.image.setdefault("env", {})[names[2]] = database
        return True


def stores_of(
    roles: Iterable[Role], remarks: Remarks, known: Installed | None = None
) -> list[Store]:
    """The servers, one for each image."""
    known = installed() if known is None else known
    found: dict[str, Store] = {}
    names: set[str] = set()
    # What lasts says more of a server than what only waits for it with the same image.
    for role in sorted(roles, key=lambda role: role.part.init):
        if role.server is None:
            continue
        store = found.get(role.part.image)
        if store is None:
            last = role.server.image["repository"].rpartition("/")[2]
            name = last if last not in names else f"{last}-{len(names)}"
            names.add(name)
            store = _store(role, name, known)
            found[role.part.image] = store
        if not role.part.init:
            store.parts.append(role.part)
        _with_paths(store, role)
    for store in found.values():
        _with_memory(store, remarks)
    return [*found.values()]


def _store(role: Role, name: str, known: Installed) -> Store:
    server = role.server
    assert server is not None
    image = dict(server.image)
    image["binaries"] = dict.fromkeys(image.get("binaries", {}), name)
    protocols = known.kinds[server.kind].protocols
    spoken = protocols[0].name if protocols else ""
    return Store(name, server.kind, image, dict(server.program), spoken)


def _with_paths(store: Store, role: Role) -> None:
    """Executables that the container names and the image of that kind has not."""
    there = {path.rpartition("/")[2] for path in store.image["binaries"]}
    there |= set(store.image.get("files", {}))
    for path in role.executables.paths:
        if path.rpartition("/")[2] not in there and path not in there and not role.part.ends:
            store.image["binaries"][path] = store.name
    for path in (*role.executables.unknown, *role.executables.sourced):
        store.image["files"] = {**store.image.get("files", {}), path: _script(path, role)}


def _script(path: str, role: Role) -> str:
    return "" if path in role.executables.sourced else SUCCEEDS


def _with_memory(store: Store, remarks: Remarks) -> None:
    """A working set that fits the limit, where that of the kind does not."""
    if not store.parts:
        return
    limits = [one for part in store.parts if (one := part.memory_limit_mib()) is not None]
    usual = program_of(store.kind, installed()).model_fields["memory"].default
    base = float(str(store.entry.get("memory", {}).get("base_mib", getattr(usual, "base_mib", 0))))
    if limits and base > 0.8 * min(limits):
        store.entry["memory"] = {"base_mib": int(0.5 * min(limits)) or 1}
        remarks.guessed(
            store.parts[0].where,
            f"its memory is half of its limit; a server of kind {store.kind!r} takes {base:g} MiB",
        )


def store_calls(
    store: Store, client: str, part: Part
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Steps of a start after the connection, and the calls of an operation, at a server.

    Args:
        store: The server.
        client: Name of the client.
        part: Who calls.
    """
    if store.protocol in ("postgres", "mysql", "mongodb"):
        steps = [{"seed": f"{client}.records", "documents": _DOCUMENTS}]
        return steps, [{"call": f"{client}.find", "collection": "records"}]
    if store.protocol in ("keyvalue", "memcached", "etcd"):
        return [], [{"call": f"{client}.get"}]
    if store.protocol == "kafka":
        topic = topic_of(part)
        store.entry.setdefault("topics", {}).setdefault(topic, {"partitions": 1})
        return [], [{"call": f"{client}.produce", "collection": topic}]
    if store.protocol == "amqp":
        queue = topic_of(part)
        store.entry.setdefault("queues", {}).setdefault(queue, {"durable": True})
        return [], [{"call": f"{client}.publish", "collection": queue}]
    return [], []


def topic_of(part: Part) -> str:
    """The topic or queue that a container's environment names, else `events`."""
    for name, value in part.env.items():
        if _TOPIC.search(name) and _NAME.match(value):
            return value
    return "events"
