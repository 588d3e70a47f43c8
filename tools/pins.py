"""Write `constraints.txt`: name and version of everything that tox installs, and nothing else.

Run as `tox -e pins`, which installs the newest of everything first.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions

from workspace import ROOT, projects

HEAD = "# Names and versions of everything that tox installs. Written by: tox -e pins\n"


def main() -> int:
    own = {project.name for project in projects()} | {"sregym", "pip"}
    pins = {}
    for found in distributions():
        name = re.sub(r"[-_.]+", "-", found.metadata["Name"]).lower()
        if name not in own:
            pins[name] = found.version
    lines = sorted(f"{name}=={version}\n" for name, version in pins.items())
    (ROOT / "constraints.txt").write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{len(lines)} pins")
    return 0


if __name__ == "__main__":
    sys.exit(main())
