"""`sregym catalogue`: a folder of static pages about everything that can be played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse


class Catalogue(Subcommand):
    """Writes the catalogue's pages."""

    name: ClassVar[str] = "catalogue"
    summary: ClassVar[str] = "write web pages about all faults and problems, without the answers"
    examples: ClassVar[tuple[str, ...]] = ("sregym catalogue site",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Where to, and what was measured."""
        parser.add_argument(
            "folder", metavar="FOLDER", type=Path, help="folder to write the pages to"
        )
        parser.add_argument(
            "--difficulty",
            metavar="FILE",
            type=Path,
            help="what `sregym difficulty --json` has printed, to be shown beside the problems",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: what was written")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Write them."""
        from sregym_core.api import Workspace

        from sregym_catalogue.content import collected
        from sregym_catalogue.difficulty import measured
        from sregym_catalogue.pages import written

        figures = measured(arguments.difficulty) if arguments.difficulty else {}
        content = collected(Workspace(self.settings), figures)
        try:
            pages = written(content, arguments.folder)
        except OSError as error:
            text = f"{error.filename}: {error.strerror}; name a folder that can be written"
            raise UsageError(text) from error
        if arguments.json:
            told = {"index": str(pages[0]), "pages": len(pages), **content.counts}
            self.console.json(told)
        else:
            self.console.say(f"{counted(len(pages), 'page')}: open {pages[0]}")
        return ExitCode.DONE
