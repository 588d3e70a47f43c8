"""The program `sregym-harbor`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import SregymError

from sregym_harbor.export import export

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(words: Sequence[str] | None = None) -> int:
    """Write task folders; exit code 2 when that cannot be."""
    parser = argparse.ArgumentParser(prog="sregym-harbor", description="SREGym for Harbor.")
    commands = parser.add_subparsers(dest="command", required=True)
    exporting = commands.add_parser("export", help="write task folders")
    exporting.add_argument("folder", type=Path, help="where they are made")
    exporting.add_argument("problems", nargs="*", help="ids; none for those of the suite")
    exporting.add_argument("--suite", default="lite", help="empty for all problems")
    exporting.add_argument("--seeds", type=int, default=1, help="in how many worlds each is played")
    exporting.add_argument("--mode", default="standard")
    exporting.add_argument("--max-steps", type=int, default=100, help="most calls of tools")
    options = parser.parse_args(words)
    try:
        written = export(
            options.folder,
            options.problems,
            suite=options.suite,
            seeds=range(options.seeds),
            mode=options.mode,
            max_steps=options.max_steps,
        )
    except SregymError as error:
        sys.stderr.write(f"sregym-harbor: {error}\n")
        return 2
    sys.stdout.write("".join(f"{place}\n" for place in written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
