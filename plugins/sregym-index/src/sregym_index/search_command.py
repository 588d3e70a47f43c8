"""`sregym plugins search`: plugins that could be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from sregym_index.form import Entry


class PluginSearch(Subcommand):
    """Looks for plugins in an index."""

    name: ClassVar[str] = "plugins-search"
    summary: ClassVar[str] = "search an index of plugins that can be installed"
    examples: ClassVar[tuple[str, ...]] = ("sregym plugins search dns",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """What to look for, and where."""
        parser.add_argument(
            "words",
            nargs="*",
            metavar="WORD",
            help="occurs in the name, the kinds, what it adds or the summary; without one all are listed",
        )
        parser.add_argument(
            "--index",
            default="",
            metavar="FILE|URL",
            help="the index (default: SREGYM_INDEX, else the one that is installed)",
        )
        parser.add_argument(
            "--refresh", action="store_true", help="fetch an index from the network again"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print what is found."""
        from sregym_core import __version__
        from sregym_index.index_reader import Reader
        from sregym_index.installed import version_of

        place = arguments.index or self.settings.index
        reader = Reader(self.settings.state, self.console.note)
        index, called = reader.read(place, refresh=arguments.refresh)
        found = [entry for entry in index.plugins if entry.has(tuple(arguments.words))]
        if arguments.json:
            self.console.json(
                [
                    {
                        **entry.model_dump(mode="json"),
                        "fits": entry.fits(__version__),
                        "installed": version_of(entry.distribution) or None,
                    }
                    for entry in found
                ]
            )
            return ExitCode.DONE
        if not found:
            words = " and ".join(map(repr, arguments.words)) or "anything"
            self.console.note(
                f"{called} has {counted(len(index.plugins), 'plugin')}, none with {words}"
            )
            return ExitCode.DONE
        head = ("DISTRIBUTION", "KINDS", "FITS", "CONTRACT", "INSTALLED", "SUMMARY")
        self.console.table(
            head, [_row(entry, __version__, version_of(entry.distribution)) for entry in found]
        )
        return ExitCode.DONE


def _row(entry: Entry, core: str, installed: str) -> tuple[str, ...]:
    contract = entry.contract
    message = "not told"
    if contract is not None:
        message = " ".join(
            map(str, filter(None, (contract.outcome, contract.version, contract.date)))
        )
    fits = "yes" if entry.fits(core) else f"needs {entry.core}"
    kinds = ", ".join(entry.kinds)
    return (entry.distribution, kinds, fits, message, installed or "no", entry.summary)
