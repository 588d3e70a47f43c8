"""System calls without which programs do not go on serving, as their service model tells.

What the runtime of a program calls follows from its language, which the library tells by which it
writes its log; what it calls for its clients from those; what a server calls for its files is said
by its kind.
"""

from __future__ import annotations

import posixpath
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram, StoreProgram
from sregym_apps.model.image import parse_reference
from sregym_apps.simulation import installed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.model import Component

    from sregym_apps.model import Program, ServiceModel

_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("zerolog-console", "zerolog-json", "go-log", "slog", "zap", "klog"), "go"),
        **dict.fromkeys(("log4j", "spring-boot"), "jvm"),
        **{"pino": "node", "python": "python", "dotnet": "dotnet"},
    }
)
_NATIVE = "native"
# Calls by which a runtime lets its heap grow, makes a thread, reads the clock, and cannot do without.
OF_RUNTIMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "go": ("mmap", "clone"),
        "jvm": ("mmap", "mprotect", "clone"),
        "python": ("mmap", "mprotect", "clone", "clock_gettime"),
        "node": ("mmap",),
        "dotnet": ("mmap",),
        _NATIVE: ("mmap", "mprotect", "clone"),
    }
)


def language_of(program: Program) -> str:
    """The language of a program: a key of `OF_RUNTIMES`."""
    return _LANGUAGES.get(program.log.format, _NATIVE)


def calls_of(program: Program) -> tuple[str, ...] | None:
    """Those of a program, sorted; None for one that is no service and no datastore."""
    calls = {*OF_RUNTIMES[language_of(program)]}
    if isinstance(program, ServiceProgram):
        for client in program.clients.values():
            calls.add("sendmmsg")  # the question for the address of its name
            if not client.pool and client.wire.one_connection_a_call:
                calls.add("connect")
    elif isinstance(program, StoreProgram):
        kind = installed().kinds.get(program.kind)
        if kind is None:
            return None
        calls.update(kind.system_calls)
    else:
        return None
    return tuple(sorted(calls))


def with_programs(components: tuple[Component, ...], model: ServiceModel) -> tuple[Component, ...]:
    """Components with what the programs of their main containers call and read, where known."""
    images = {
        (parse_reference(one.repository)[0], tag): one for one in model.images for tag in one.tags
    }

    def found(component: Component) -> Program | None:
        image = images.get(parse_reference(component.image))
        words = component.command or (() if image is None else (*image.entrypoint, *image.cmd))
        if image is None or not words:
            return None
        path = posixpath.join(image.working_dir, words[0])
        for binary, name in image.binaries.items():
            own = posixpath.basename(binary) if "/" not in words[0] else binary
            if own in (words[0], posixpath.normpath(path)):
                return model.programs.get(name)
        return None

    known = {part.name: program for part in components if (program := found(part)) is not None}
    return tuple(
        part.model_copy(
            update={
                "system_calls": calls_of(known[part.name]),
                "defaults": _defaults(known[part.name]),
            }
        )
        if part.name in known
        else part
        for part in components
    )


def _defaults(program: Program) -> dict[str, str | None] | None:
    """Variables that a service reads -> what it takes without them; None for what is no service."""
    if not isinstance(program, ServiceProgram):
        return None
    settings = program.config.values()
    return {one.env: one.default for one in settings if one.env and one.key is None}
