"""Writes `docs/reference/simulation.md`: every name that is promised to extensions of the simulation.

python tools/simulation_page.py            write the page
python tools/simulation_page.py --check    exit with 1 when the page is out of date
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "simulation.md"
MODULES = (
    "sregym_apps.simulation",
    *(
        f"sregym_cluster_embedded.sdk.{name}"
        for name in ("servers", "commands", "exporters", "controllers", "clusters", "testing")
    ),
)
HEAD = """\
# Extensions of the simulation

Every name that is promised to extensions ([plugins](plugins.md)), with the first sentence of its docstring; arguments, attributes and errors stand there.
Written by `tools/simulation_page.py` from the modules themselves. Besides, extensions use `sregym_apps.model` and `sregym_core`.
"""


def page() -> str:
    """The page as it should be."""
    return HEAD + "".join(map(_section, MODULES))


def _section(module_name: str) -> str:
    module = importlib.import_module(module_name)
    lines = [f"\n## `{module_name}`\n", "| name | is |", "|---|---|"]
    for name in sorted(module.__all__, key=str.lower):
        lines.append(f"| `{name}` | {_about(getattr(module, name))} |")
    return "\n".join(lines) + "\n"


def _about(value: object) -> str:
    if value is Any:
        return "anything"
    documented = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
    text = inspect.getdoc(value) if documented else None
    if not text:
        shown = repr(value)
        return (
            f"`{shown}`" if isinstance(value, str | int | float) else "a constant or a type alias"
        )
    return text.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def main() -> int:
    """Write the page, or compare it."""
    wanted = page()
    if "--check" not in sys.argv:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{PAGE.name} is out of date; run: python tools/simulation_page.py")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
