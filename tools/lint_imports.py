"""Run import-linter over the sources of all project folders; nothing needs to be installed for it."""

from __future__ import annotations

import os
import subprocess
import sys

from workspace import ROOT, projects


def main() -> int:
    sources = os.pathsep.join(str(project.source.parent) for project in projects())
    linter = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]
    return subprocess.call(linter, cwd=ROOT, env={**os.environ, "PYTHONPATH": sources})


if __name__ == "__main__":
    sys.exit(main())
