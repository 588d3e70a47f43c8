"""`sregym new KIND NAME`: from words on the command line to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse

    from sregym_dev.package import Package


# What people call the kinds besides.
_WORDS = {"application": "app"}


class New(Subcommand):
    """Writes a new plugin package."""

    name: ClassVar[str] = "new"
    summary: ClassVar[str] = "write a new plugin package, with its tests"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym new injector acme-dns",
        "sregym new app acme-shop --from manifests/",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Kind, name, folder."""
        from sregym_dev.package import KINDS

        parser.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
        parser.add_argument(
            "name", metavar="NAME", help="name of the plugin, lower case with hyphens: acme-dns"
        )
        parser.add_argument(
            "--folder",
            type=Path,
            default=Path(),
            help="folder in which to create the package (default: here)",
        )
        parser.add_argument(
            "--from",
            dest="source",
            type=Path,
            metavar="PATH",
            help="an application from a folder of manifests, a Helm chart or a compose file",
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Write the files and say what comes next."""
        from sregym_dev.package import Package

        kind = _WORDS.get(arguments.kind, arguments.kind)
        package = Package(kind, arguments.name)
        if arguments.source is not None:
            package = self._read(package, arguments.source)
        folder = package.write(arguments.folder)
        self.console.say(f"{folder}")
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            self.console.say(f"  {path.relative_to(folder)}")
        self.console.say("\nNext:")
        self.console.say(f"  pip install -e {folder} 'sregym-core[testing]'")
        self.console.say("  sregym plugins")
        self.console.say(f"  pytest {folder}")
        return ExitCode.DONE

    def _read(self, package: Package, source: Path) -> Package:
        """The application that a team has; what was guessed is told on the way."""
        from sregym_core.api import Workspace
        from sregym_lint import vocabulary_of

        from sregym_dev.importing.application import Imported

        if package.kind != "app":
            raise UsageError(
                f"--from reads applications; {package.kind!r} is another kind of plugin"
            )
        read = Imported.read(
            package.name, source, lambda: vocabulary_of(Workspace(self.settings).factory)
        )
        for remark in read.remarks:
            self.console.say(str(remark))
        self.console.say()
        return read
