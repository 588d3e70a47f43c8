"""`sregym new KIND NAME`: from words on the command line to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse


class New(Subcommand):
    """Writes a new plugin package."""

    name: ClassVar[str] = "new"
    summary: ClassVar[str] = "write a new plugin package, with its tests"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Kind, name, folder."""
        from sregym_dev.package import KINDS

        parser.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
        parser.add_argument("name", metavar="NAME", help="lower case with hyphens: acme-dns")
        parser.add_argument(
            "--folder", type=Path, default=Path(), help="where the package's folder is made"
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Write the files and say what comes next."""
        from sregym_dev.package import Package

        package = Package(arguments.kind, arguments.name)
        folder = package.write(arguments.folder)
        self.console.say(f"{folder}")
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            self.console.say(f"  {path.relative_to(folder)}")
        self.console.say("\nNext:")
        self.console.say(f"  pip install -e {folder} 'sregym-core[testing]'")
        self.console.say("  sregym plugins")
        self.console.say(f"  pytest {folder}")
        return ExitCode.DONE
