"""`sregym plugins entry`: the entry of an installed plugin, to be added to an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse


class PluginEntry(Subcommand):
    """Prints the entry of a plugin."""

    name: ClassVar[str] = "plugins-entry"
    summary: ClassVar[str] = (
        "print the entry of an installed plugin for an index, with its contract"
    )
    examples: ClassVar[tuple[str, ...]] = ("sregym plugins entry acme-sregym-dns --tests tests",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Of which, and where its tests are."""
        parser.add_argument(
            "distribution",
            metavar="DISTRIBUTION",
            help="name of the distribution, as pip installed it",
        )
        parser.add_argument(
            "--tests",
            type=Path,
            metavar="FOLDER",
            help="folder of its contract tests, which are run; without it the entry has no result",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Look at it, run its contract, and print."""
        from datetime import UTC, datetime

        import yaml
        from sregym_core.api import Workspace

        from sregym_index.contract import held
        from sregym_index.installed import entry_of, version_of

        entry = entry_of(arguments.distribution, Workspace(self.settings), None)
        failed = False
        if arguments.tests is not None:
            version = version_of(entry.distribution)
            today = datetime.now(UTC).date()
            contract, end = held(entry.distribution, version, arguments.tests, today)
            entry = entry.model_copy(update={"contract": contract})
            failed = contract.outcome != "pass"
            if failed:
                self.console.note(end)
        content = entry.model_dump(mode="json", exclude_defaults=True)
        if arguments.json:
            self.console.json(content)
        else:
            text = yaml.safe_dump([content], sort_keys=False, allow_unicode=True, width=100)
            self.console.say(text.rstrip())
        return ExitCode.FAILED if failed else ExitCode.DONE
