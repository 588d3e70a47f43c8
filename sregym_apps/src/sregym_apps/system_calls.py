"""System calls without which programs do not go on serving, by their service model.

What the runtime of a program calls follows from its language, which is known from the library by which it
writes its log; what it calls for its clients from those; what a server calls for its files is defined
by its kind.
"""

from __future__ import annotations

import posixpath
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_apps.container_input import command_in
from sregym_apps.demand import demands
from sregym_apps.model import ServiceProgram, StoreProgram
from sregym_apps.model.image import parse_reference
from sregym_apps.public_images import models_of_extensions
from sregym_apps.simulation import installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_core.model import Component

    from sregym_apps.manifests import KubeObject
    from sregym_apps.model import Image, Program, ServiceModel

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


def programs_of(
    components: Iterable[Component], models: Iterable[ServiceModel]
) -> dict[str, tuple[Image, Program]]:
    """Image and program of the main containers, by name of the component, where a model defines it.

    Args:
        components: Of an application.
        models: Its own, which counts before those of public images, and of what it is a variant of.
    """
    own = [*models]
    found: dict[str, tuple[Image, Program]] = {}
    for model in own:
        found = {**_of_model(components, model), **found}
    left = [part for part in components if part.name not in found]
    for model in models_of_extensions(installed()) if left else ():
        found |= _of_model(left, model)
    return found


def _of_model(
    components: Iterable[Component], model: ServiceModel
) -> dict[str, tuple[Image, Program]]:
    images = {
        (parse_reference(one.repository)[0], tag): one for one in model.images for tag in one.tags
    }
    found = {}
    for component in components:
        image = images.get(parse_reference(component.image))
        name = "" if image is None else _started(component, image)
        if image is not None and name in model.programs:
            found[component.name] = image, model.programs[name]
    return found


def _started(component: Component, image: Image) -> str:
    """The name of the program that a component's command runs, or a shell for it; empty for none."""
    names = {posixpath.basename(path) for path in image.binaries}
    words = command_in(component.command or (*image.entrypoint, *image.cmd), names)
    path = posixpath.normpath(posixpath.join(image.working_dir, words[0])) if words else ""
    for binary, name in image.binaries.items():
        own = posixpath.basename(binary) if words and "/" not in words[0] else binary
        if words and own in (words[0], path):
            return name
    return ""


def with_programs(
    components: tuple[Component, ...], models: Sequence[ServiceModel], objects: Sequence[KubeObject]
) -> tuple[Component, ...]:
    """Components with what the programs of their main containers call, read and serve, where known.

    Args:
        components: Of the application.
        models: Its service models.
        objects: Its manifests, and what operators make of them.
    """
    known = programs_of(components, models)
    asked = demands(components, known, objects)
    return tuple(
        part.model_copy(
            update={
                "system_calls": calls_of(known[part.name][1]),
                "defaults": _defaults(known[part.name][1]),
                "traced_as": _traced_as(known[part.name][1]),
                **(asked[part.name]._asdict() if part.name in asked else {}),
            }
        )
        if part.name in known
        else part
        for part in components
    )


def _traced_as(program: Program) -> str:
    """The name of a service's spans, unless a setting decides it when it starts."""
    tracing = program.tracing if isinstance(program, ServiceProgram) else None
    return "" if tracing is None or "$" in tracing.service else tracing.service


def _defaults(program: Program) -> dict[str, str | None] | None:
    """Variables that a service reads -> what it takes without them; None for what is no service."""
    if not isinstance(program, ServiceProgram):
        return None
    settings = program.config.values()
    return {one.env: one.default for one in settings if one.env and one.key is None}
