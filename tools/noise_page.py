"""Write `docs/reference/noise.md` from the sources of noise that are installed.

With `--check`, write nothing and exit with 1 when the page is not what would be written.
"""

from __future__ import annotations

import sys

from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_injectors.noise.mixture import SOURCES_A_LEVEL
from workspace import ROOT

PAGE = ROOT / "docs" / "reference" / "noise.md"
HEAD = f"""\
# Sources of noise

Every source in `plugins/`, by family. This page is made from the classes by `tox -e fix`; `tox -e docs`
compares them. `sregym noise` lists those that are installed, and [Noise](../how-to/noise.md) says how they
are used.

A level is 0 (none), 1, 2 or 3. `--noise-level LEVEL` takes {SOURCES_A_LEVEL} sources a level, one of each
family after the other; which ones follows from the seed and the run's salt.

| source | family | distribution | what happens |
|---|---|---|---|
"""


def main(arguments: list[str]) -> int:
    page = HEAD + "".join(rows())
    if "--check" not in arguments:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print(f"{PAGE.relative_to(ROOT)} is out of date; run: tox -e fix")
        return 1
    return 0


def rows() -> list[str]:
    """A line of the table for each source."""
    registry = Registry(Plugins(Settings()))
    found = []
    for name in registry.names("noise source"):
        source = registry.load("noise source", name)
        owner = registry.owner("noise source", name).distribution
        link = f"[{owner}](../../plugins/{owner}/README.md)"
        line = f"| `{name}` | {source.family} | {link} | {source.title} |\n"
        found.append((source.family, name, line))
    return [line for _, _, line in sorted(found)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
