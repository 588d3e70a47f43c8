"""Install every project folder, editable, with what its tests need, into this environment.

Pins come from `UV_CONSTRAINT`, which `tox.ini` sets and the `latest` environment does not.
"""

from __future__ import annotations

import subprocess
import sys

from workspace import ROOT, projects, uv


def main() -> int:
    arguments = ["pip", "install", "--quiet", "--python", sys.executable]
    for project in projects():
        arguments += ["--editable", f"./{project.relative}"]
        if project.test_group:
            arguments += ["--group", f"{project.relative}/pyproject.toml:test"]
    return subprocess.call(uv(*arguments), cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
