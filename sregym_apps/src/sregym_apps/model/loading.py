"""Reading a service model from YAML, with errors that say file, line and field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import yaml
from pydantic import ValidationError
from sregym_core.errors import PluginLoadError
from sregym_lint import ComparisonResult, Defect, Document, compare, documents

from sregym_apps.model.application import (
    GENERIC_PROGRAMS,
    UNKNOWN_KIND,
    ServiceModel,
    kind_of,
    model_of,
)
from sregym_apps.model.building_blocks import unknown
from sregym_apps.model.inconsistencies import inconsistencies
from sregym_apps.model.service import Program
from sregym_apps.simulation import Installed, installed

if TYPE_CHECKING:
    from pathlib import Path

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ServiceModelError(ValueError):
    """A service model that cannot be used; one line for each thing that is wrong."""


def load_service_model(path: Path, known: Installed | None = None) -> ServiceModel:
    """Read and check a service model.

    Args:
        path: The file.
        known: Which kinds of servers, protocols and log formats there are; what is installed
            unless given.

    Raises:
        ServiceModelError: Each line is `file:line: field: what is wrong`.
        PluginLoadError: The program of a kind that the model names cannot be imported.
    """
    return parse_service_model(path.read_text(encoding="utf-8"), str(path), known)


def parse_service_model(text: str, name: str, known: Installed | None = None) -> ServiceModel:
    """As `load_service_model`, from a text; `name` stands for the file in errors."""
    known = installed() if known is None else known
    try:
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - the loader is a safe one
        if isinstance(data, dict):
            form = model_of(_programs(data, known))
            model = form.model_validate(data, context={"installed": known})
            if not any(inconsistencies(model)):
                return model
    except (yaml.YAMLError, ValidationError, ValueError):
        pass  # told below, with all else that is wrong
    raise ServiceModelError("\n".join(map(str, examine_service_model(text, name, known).defects)))


def service_model_from(data: dict[str, Any], name: str) -> ServiceModel:
    """As `parse_service_model`, from what the text would hold.

    A large one that was made by a program needs no text, which would take longer than all else.
    """
    known = installed()
    try:
        model = model_of(_programs(data, known)).model_validate(data, context={"installed": known})
        if not any(inconsistencies(model)):
            return model
    except ValueError:
        pass  # told below, with all else that is wrong
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    raise ServiceModelError("\n".join(map(str, examine_service_model(text, name, known).defects)))


class Examined(NamedTuple):
    """A service model as far as it can be used, and what is wrong with it.

    Attributes:
        model: What is left when all is left out that is wrong; None when nothing is.
        defects: Everything that is wrong, in the order of the lines.
        document: The text, for the lines of fields; None where it is no YAML.
        compared: For locations as they are in the text.
    """

    model: ServiceModel | None
    defects: list[Defect]
    document: Document | None = None
    compared: ComparisonResult | None = None


def examine_service_model(text: str, name: str, known: Installed) -> Examined:
    """Read a service model that may be wrong; names are looked up in what is right of it."""
    read, unreadable = documents(text, name)
    if unreadable:
        return Examined(None, unreadable)
    (first, *_) = read
    if not isinstance(first.data, dict):
        what = "a service model is a mapping with 'application'"
        return Examined(None, [first.defect((), what)])
    compared = compare(
        model_of(_programs(first.data, known)),
        first.data,
        {"installed": known},
        lambda item: _message(item, known),
    )
    found = first.own + first.defects(compared.found)
    if compared.value is not None:
        found += [
            first.defect(compared.original(wrong.location), wrong.text)
            for wrong in inconsistencies(compared.value)
            if wrong.name not in compared.left_out
        ]
    ordered = sorted(found, key=lambda defect: defect.line)
    return Examined(compared.value, ordered, first, compared)


def form_of_service_models(known: Installed | None = None) -> type[ServiceModel]:
    """The form of service models, with the programs of all kinds of servers that are installed."""
    known = installed() if known is None else known
    return model_of((*GENERIC_PROGRAMS, *(program_of(name, known) for name in known.kinds)))


def _programs(data: dict[str, Any], known: Installed) -> tuple[type[Program], ...]:
    """The generic programs, and those of the kinds of servers that the model names."""
    entries = data.get("programs")
    listed = entries.values() if isinstance(entries, dict) else ()
    named = {entry.get("kind") for entry in listed if isinstance(entry, dict)}
    return (*GENERIC_PROGRAMS, *(program_of(name, known) for name in known.kinds if name in named))


def program_of(name: str, known: Installed) -> type[Program]:
    """The model of the programs of a kind of server.

    Raises:
        PluginLoadError: It cannot be imported, or is no such model.
    """
    kind = known.kinds[name]
    program = known.load("server kind", name, kind.program)
    good = isinstance(program, type) and issubclass(program, Program)
    if not good or kind_of(program) != name:
        message = (
            f"server kind {name!r} of {known.owner('server kind', name)} has the program "
            f"{kind.program}, which is no sregym_apps.model.Program with kind: Literal[{name!r}]"
        )
        raise PluginLoadError(message)
    return cast("type[Program]", program)


def _message(item: Any, known: Installed) -> str | None:
    """What is wrong, where pydantic's own words do not help."""
    if item["type"] != UNKNOWN_KIND:
        return None
    there = (*map(kind_of, GENERIC_PROGRAMS), *known.kinds)
    named = item["input"].get("kind") if isinstance(item["input"], dict) else item["input"]
    return unknown("server kind", str(named), there, known)
