"""`sregym plugins`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, first_of
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from sregym_core.plugins import PluginStatus


class PluginList(Subcommand):
    """Lists plugins."""

    name: ClassVar[str] = "plugins"
    summary: ClassVar[str] = "list installed plugins and whether they could be loaded"
    examples: ClassVar[tuple[str, ...]] = ("sregym plugins --json",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "--json", action="store_true", help="print JSON, with all that they offer"
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them, broken and blocked ones in place."""
        from sregym_core.plugins import GROUP, Plugins
        from sregym_core.problems import ProblemSet
        from sregym_core.registry import KINDS, Registry

        plugins = Plugins(self.settings)
        registry = Registry(plugins)
        for kind in KINDS:  # asking makes plugins show what breaks only then
            registry.names(kind)
        defects = registry.defects()
        for name, reasons in ProblemSet(registry).left_out().items():
            defects.setdefault(name, []).extend(reasons)

        def told(status: PluginStatus) -> list[str]:
            return defects.get(status.name, []) if status.group == GROUP else []

        listed = [
            {
                "name": status.name,
                "distribution": status.distribution,
                "version": status.version,
                # One that works in part is in use all the same.
                "state": "broken" if told(status) else status.state,
                "reason": "; ".join(told(status)) or status.reason,
                "hooks": list(status.hooks),
                "components": [*status.components]
                if status.group != GROUP
                else registry.components(status.name),
            }
            for status in plugins.statuses()
        ]
        if arguments.json:
            self.console.json(listed)
            return ExitCode.DONE
        rows = [
            (
                str(entry["name"]),
                f"{entry['distribution']} {entry['version']}",
                str(entry["state"]),
                str(entry["reason"]) or first_of([*entry["components"]]),
            )
            for entry in listed
        ]
        self.console.table(("PLUGIN", "DISTRIBUTION", "STATE", "OFFERS"), rows)
        return ExitCode.DONE
