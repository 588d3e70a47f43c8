"""Writes `packages.json` of the core: which distribution of this repository brings which component.

python tools/packages.py            write the file
python tools/packages.py --check    exit with 1 when it is out of date
"""

from __future__ import annotations

import json
import sys

from sregym_apps.simulation.loading import load_extensions
from sregym_core.plugins import Plugins
from sregym_core.registry import KINDS, Registry
from sregym_core.settings import Settings
from workspace import projects

FILE = next(p for p in projects() if p.name == "sregym-core").source / "packages.json"
# What extensions of the simulation add, as they tell it, that errors speak of.
ADDED = ("server kind", "protocol")


def content() -> str:
    """The file as it should be; installed plugins of others are left out."""
    ours = {project.name for project in projects()}
    registry = Registry(Plugins(Settings()))
    found: dict[str, dict[str, str]] = {kind: {} for kind in (*KINDS, *ADDED)}
    for kind in KINDS:
        for name in registry.names(kind):
            found[kind][name] = registry.owner(kind, name).distribution
    for status, _ in load_extensions(Settings()):
        for kind in ADDED:
            names = (
                one.removeprefix(f"{kind} ")
                for one in status.components
                if one.startswith(f"{kind} ")
            )
            for name in names:
                found[kind][name] = status.distribution
    kept = {
        kind: {name: owner for name, owner in sorted(named.items()) if owner in ours}
        for kind, named in sorted(found.items())
    }
    return json.dumps(kept, indent=1) + "\n"


def main(words: list[str]) -> int:
    if words == ["--check"]:
        if FILE.read_text(encoding="utf-8") == content():
            return 0
        print(f"{FILE} is out of date; run: python tools/packages.py")
        return 1
    FILE.write_text(content(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
