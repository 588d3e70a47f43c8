"""`sregym schema`: JSON Schemas of the files that authors write, for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Schema(Subcommand):
    """Prints a JSON Schema."""

    name: ClassVar[str] = "schema"
    summary: ClassVar[str] = (
        "print the JSON Schema of problem files, service models or notes on components"
    )
    examples: ClassVar[tuple[str, ...]] = ("sregym schema problem > problem.schema.json",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Of what."""
        parser.add_argument(
            "of",
            metavar="KIND",
            choices=sorted(SCHEMAS),
            help="kind of files: components, problem, service-model",
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print it."""
        self.console.json(SCHEMAS[arguments.of]())
        return ExitCode.DONE


def problem() -> dict[str, Any]:
    """Of problem files."""
    from sregym_core.interfaces import LAYERS
    from sregym_core.model import Problem

    schema = Problem.model_json_schema(by_alias=True)
    target = schema["$defs"]["FaultRef"]["properties"]["target"]
    # One target may stand without a list.
    schema["$defs"]["FaultRef"]["properties"]["target"] = {
        "title": target.pop("title", "Target"),
        "anyOf": [target["items"], target],
    }
    schema["properties"]["layer"]["enum"] = list(LAYERS)
    return {"$schema": DIALECT, **schema, "title": "SREGym problem"}


def service_model() -> dict[str, Any]:
    """Of service models, with the kinds of servers, protocols and log formats that are installed."""
    from sregym_apps.model import form_of_service_models
    from sregym_apps.model.building_blocks import GENERIC_FORMATS
    from sregym_apps.simulation import installed

    schema = form_of_service_models().model_json_schema(by_alias=True)
    known = installed()
    for name in ("Client", "Listener"):
        schema["$defs"][name]["properties"]["protocol"]["enum"] = sorted(known.protocols)
    formats = sorted({*GENERIC_FORMATS, *known.log_formats})
    schema["$defs"]["Log"]["properties"]["format"]["enum"] = formats
    return {"$schema": DIALECT, **schema, "title": "SREGym service model"}


def components() -> dict[str, Any]:
    """Of `components.yaml`: what manifests do not say of components."""
    from pydantic import TypeAdapter
    from sregym_apps.notes import ComponentNotes

    schema = TypeAdapter(dict[str, ComponentNotes]).json_schema(by_alias=True)
    return {"$schema": DIALECT, **schema, "title": "SREGym components"}


SCHEMAS = {"components": components, "problem": problem, "service-model": service_model}
