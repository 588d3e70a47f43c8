"""`sregym noise`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, PluginError

if TYPE_CHECKING:
    import argparse


class NoiseSources(Subcommand):
    """Lists sources of noise."""

    name: ClassVar[str] = "noise"
    summary: ClassVar[str] = "list sources of noise: disturbances that end by themselves"
    examples: ClassVar[tuple[str, ...]] = ("sregym noise",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them, family by family; one that cannot be used is named, and the others are listed."""
        from sregym_core.api import Workspace

        registry = Workspace(self.settings).factory.registry
        listed = []
        for name in registry.names("noise source"):
            try:
                source = registry.load("noise source", name)
            except PluginError as error:
                self.console.note(f"left out: {error}")
                continue
            plugin = registry.owner("noise source", name).distribution
            listed.append(
                {"name": name, "family": source.family, "title": source.title, "plugin": plugin}
            )
        listed.sort(key=lambda one: (one["family"], one["name"]))
        if arguments.json:
            self.console.json(listed)
            return ExitCode.DONE
        rows = [(one["name"], one["family"], one["plugin"], one["title"]) for one in listed]
        self.console.table(("NOISE", "FAMILY", "PLUGIN", "WHAT IT DOES"), rows)
        return ExitCode.DONE
