"""Probes by commands that an image cannot run, or that query a server of an unknown kind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_dev.importing.executables import path_of, probed_by
from sregym_dev.importing.known import usual_ports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_apps.simulation import Installed
    from sregym_core.interfaces import Vocabulary

    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.executables import Executables
    from sregym_dev.importing.remarks import Remarks
    from sregym_dev.importing.roles import Role

_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def clients_of_servers(known: Installed) -> frozenset[str]:
    """Commands that ask servers of the installed kinds: `redis-cli`, `mysqladmin`."""
    return frozenset(
        command.name
        for extension in known.extensions
        if extension.server_kinds
        for command in extension.all_of("commands")
    )


def answered_always(executables: Executables, part: Part, clients: frozenset[str]) -> Executables:
    """The same for a program of the team, with what asks it as a server among what always succeeds."""
    words = [word for line in probed_by(part) for word in line]
    asked = [path_of(word, part) for word in words if word.rpartition("/")[2] in clients]
    found = [path for path in dict.fromkeys(asked) if path not in executables.unknown]
    names = {path.rpartition("/")[2] for path in found}
    tools = tuple(tool for tool in executables.tools if tool not in names)
    return replace(executables, unknown=(*executables.unknown, *found), tools=tools)


def probe_ports_instead(
    roles: Iterable[Role], vocabulary: Vocabulary | None, known: Installed, remarks: Remarks
) -> None:
    """Let probes of servers ask the port whose image has no such command, as newer images often do."""
    clients = clients_of_servers(known)
    for role in roles:
        ports = [] if role.server is None else usual_ports(role.server.kind, known)
        if role.server is None or not ports:
            continue
        there = set(_commands(role.server.image, vocabulary))
        for name in _PROBES:
            probe = role.part.container.get(name) or {}
            words = [word for line in probed_by(role.part, name) for word in line]
            missing = [w for w in words if (bare := w.rpartition("/")[2]) in clients - there]
            if "exec" in probe and missing:
                del probe["exec"]
                probe["tcpSocket"] = {"port": ports[0]}
                bare = missing[0].rpartition("/")[2]
                remarks.changed(
                    role.part.where,
                    f"its {name} runs {bare!r}, which image {role.part.image} has not: it asks port "
                    f"{ports[0]} instead",
                )


def _commands(image: dict[str, object], vocabulary: Vocabulary | None) -> Iterator[str]:
    """Names of the commands that an image of a server has."""
    sets = vocabulary.tool_sets if vocabulary else {}
    tools = image.get("tools")
    for tool in tools if isinstance(tools, list | tuple) else ():
        yield str(tool)
        yield from sets.get(str(tool), ())
    for field in ("binaries", "versions", "files"):
        paths = image.get(field)
        for path in paths if isinstance(paths, dict) else ():
            yield str(path).rpartition("/")[2]
