"""What runs in each container: a server of a known kind, a public image, or a program of the team."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_apps.model import parse_reference
from sregym_apps.simulation import Installed, installed

from sregym_dev.importing.executables import (
    Executables,
    executables_of,
    with_commands_as_arguments,
)
from sregym_dev.importing.known import (
    ServerImage,
    kind_by_name,
    kind_by_settings,
    server_image,
)
from sregym_dev.importing.probe_commands import answered_always, clients_of_servers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import Vocabulary

    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.remarks import Remarks

_LOAD = re.compile(
    r"(load-?(gen|test|generator|runner)|locust|k6|vegeta|artillery|wrk)", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Role:
    """What a container runs.

    Attributes:
        part: The container.
        kind: `server`, `public` (an image that every cluster knows), `load` or `program`.
        executables: Of its command line.
        server: For a server.
    """

    part: Part
    kind: str
    executables: Executables
    server: ServerImage | None = None


@dataclass
class Group:
    """Containers that run the same executable of the same image: one program.

    Attributes:
        name: Of the program.
        roles: The containers.
        paths: Executables that are this program.
    """

    name: str
    roles: list[Role] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def parts(self) -> list[Part]:
        """The containers."""
        return [role.part for role in self.roles]


def roles_of(
    parts: Iterable[Part],
    vocabulary: Vocabulary | None,
    remarks: Remarks,
    known: Installed | None = None,
) -> list[Role]:
    """What each container runs."""
    known = installed() if known is None else known
    every = list(parts)
    bare = with_commands_as_arguments(every)
    return [
        _role(part, executables_of(part, vocabulary, bare), vocabulary, remarks, known)
        for part in every
    ]


def _role(
    part: Part,
    executables: Executables,
    vocabulary: Vocabulary | None,
    remarks: Remarks,
    known: Installed,
) -> Role:
    server = _server(part, known, remarks)
    if server is None:
        executables = answered_always(executables, part, clients_of_servers(known))
    for path in executables.unknown:
        remarks.guessed(part.where, f"its probe or hook runs {path}, which always succeeds here")
    if server is not None:
        return Role(part, "server", executables, server)
    repository, tag = parse_reference(part.image)
    public = vocabulary.images.get(repository, ()) if vocabulary else ()
    if tag in public and not executables.paths:
        return Role(part, "public", executables)
    kind = kind_by_name(part.image)
    if kind:
        advice = known.missing("server kind", kind)
        remarks.guessed(
            part.where,
            f"image {part.image} is a server of kind {kind!r}, which is not installed: {advice}; here it "
            "only answers on its ports",
        )
    loads = part.owner["kind"] == "Deployment" and part.first
    named = f"{part.owner['metadata']['name']} {repository.rpartition('/')[2]}"
    if loads and _LOAD.search(named):
        return Role(part, "load", executables)
    return Role(part, "program", executables)


def _server(part: Part, known: Installed, remarks: Remarks) -> ServerImage | None:
    """The server of a known kind that a container is."""
    told = "" if part.ends or part.command else kind_by_settings(part.env, part.ports(), known)
    server = server_image(part.image, part.told, known, told)
    if server is not None and not server.official:
        by = "its name" if kind_by_name(part.image) else "its variables and ports"
        what = f"image {part.image} is taken for a server of kind {server.kind!r} by {by}"
        remarks.guessed(part.where, what)
    return server


def groups_of(roles: Iterable[Role], taken: Iterable[str], remarks: Remarks) -> list[Group]:
    """The programs of the team, by image and executable.

    Args:
        roles: Of all containers.
        taken: Names that programs have already.
        remarks: Told where several workloads run the same.
    """
    names = set(taken)
    by_image: dict[str, list[Group]] = {}
    for role in roles:
        if role.kind not in ("program", "load") or _only_tools(role):
            continue
        groups = by_image.setdefault(role.part.image, [])
        paths = [] if role.executables.own else list(role.executables.paths)
        same = [
            group
            for group in groups
            if (not paths and not group.paths) or set(paths) & set(group.paths)
        ]
        group = same[0] if same else None
        if group is None:
            group = Group(_free(role.part.name, names))
            names.add(group.name)
            groups.append(group)
        group.roles.append(role)
        group.paths += [path for path in paths if path not in group.paths]
    found = [group for groups in by_image.values() for group in groups]
    for group in found:
        components = list(dict.fromkeys(part.component for part in group.parts))
        if len(components) > 1:
            text = f"runs the same executable of {group.parts[0].image} as {', '.join(components[1:])}: one program for all of them"  # fmt: skip
            remarks.guessed(group.parts[0].where, text)
    return found


def _only_tools(role: Role) -> bool:
    """Whether a container runs nothing but usual commands: a shell that waits for something."""
    return not role.executables.own and not role.executables.paths


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, 1000) if f"{name}-{n}" not in taken)
