"""Linting what an extension of the simulation brings: references, and models of public images."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from sregym_core.errors import SregymError
from sregym_lint import Defect

from sregym_apps.lint.folder import lint_service_model
from sregym_core import error_location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import Vocabulary

    from sregym_apps.simulation import Extension, Installed, ServerKind


def lint_extension(
    extension: Extension, known: Installed, vocabulary: Vocabulary | None = None
) -> list[Defect]:
    """What is wrong with an extension.

    Args:
        extension: One of those in `known`.
        known: All that is installed.
        vocabulary: What simulated clusters know.
    """
    owner = known.owner("extension", extension.name)
    found: list[Defect] = []
    for what, name, reference in _references(extension):
        try:
            known.load(what, name, reference)
        except SregymError as error:
            found.append(Defect(owner, 0, "", str(error)))
    for place in dict.fromkeys(extension.all_of("images")):
        package, _, file = str(place).partition(":")
        try:
            text = (resources.files(package) / file).read_text(encoding="utf-8")
        except Exception as error:  # whatever importing the package raises
            found.append(
                Defect(
                    owner,
                    0,
                    f"images {place!r}",
                    f"cannot be read: {error_location.format_error(error)}",
                )
            )
            continue
        shown = f"{package.replace('.', '/')}/{file}"
        found += lint_service_model(text, shown, vocabulary, known)
    return found


def _references(extension: Extension) -> Iterator[tuple[str, str, Any]]:
    for kind in extension.server_kinds:
        for reference in (
            kind.program,
            kind.behaviour,
            kind.broker,
            kind.background,
            kind.exporter,
        ):
            if reference is not None:
                yield "server kind", kind.name, reference
        for reference in kind.durable.values():
            yield "server kind", kind.name, reference
    for command in extension.all_of("commands"):
        yield "container command", command.name, command.target
    sources: list[Extension | ServerKind] = [extension, *extension.server_kinds]
    for source in sources:
        for name, reference in source.log_formats.items():
            yield "log format", name, reference
    for reference in (*extension.exporters, *extension.subsystems):
        yield "extension", extension.name, reference
