"""Install every project folder, editable, with what its tests need, into this environment.

Pins come from `UV_CONSTRAINT`, which `tox.ini` sets and the `latest` environment does not. What an
editable installation depends on is written down afterwards, and nothing is done while it stays.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from workspace import ROOT, projects, uv

STAMP = Path(sys.prefix) / "installed.digest"


def main() -> int:
    wanted = digest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return 0
    # hatchling stands in this environment already: one for each of twenty builds takes longer.
    arguments = ["pip", "install", "--quiet", "--no-build-isolation", "--python", sys.executable]
    for project in projects():
        arguments += ["--editable", f"./{project.relative}"]
        if project.test_group:
            arguments += ["--group", f"{project.relative}/pyproject.toml:test"]
    exit_code = subprocess.call(uv(*arguments), cwd=ROOT)
    if exit_code == 0:
        STAMP.write_text(wanted, encoding="utf-8")
    return exit_code


def digest() -> str:
    """Of every `pyproject.toml`, and of the pins that are in force."""
    files = [project.folder / "pyproject.toml" for project in projects()]
    if "UV_CONSTRAINT" in os.environ:
        files.append(Path(os.environ["UV_CONSTRAINT"]))
    contents = hashlib.blake2b(digest_size=16)
    for file in files:
        contents.update(f"{file}\n".encode() + file.read_bytes())
    return contents.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
