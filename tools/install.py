"""Install the project folders, editable, with what their tests need, into this environment.

Left out are those that stand alone (`alone = true` in `[tool.sregym]` of their `pyproject.toml`).
Pins come from `UV_CONSTRAINT`, which `tox.ini` sets and the `latest` environment does not. What an
editable installation depends on is written down afterwards, and nothing is done while it stays.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from editable import build, note_origins
from workspace import ROOT, together, uv

STAMP = Path(sys.prefix) / "installed.digest"


def main() -> int:
    wanted = digest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return 0
    found = together()
    groups = [
        word
        for project in found
        if project.test_group
        for word in ("--group", f"{project.relative}/pyproject.toml:test")
    ]
    with tempfile.TemporaryDirectory() as folder:
        wheels = map(str, build(found, Path(folder)).values())
        again = [word for project in found for word in ("--reinstall-package", project.name)]
        arguments = ["pip", "install", "--quiet", "--no-sources", "--python", sys.executable]
        exit_code = subprocess.call(uv(*arguments, *again, *groups, *wheels), cwd=ROOT)
    if exit_code == 0:
        note_origins(Path(sysconfig.get_path("purelib")), found)
        STAMP.write_text(wanted, encoding="utf-8")
    return exit_code


def digest() -> str:
    """Of every `pyproject.toml`, and of the pins that are in force."""
    files = [project.folder / "pyproject.toml" for project in together()]
    if "UV_CONSTRAINT" in os.environ:
        files.append(Path(os.environ["UV_CONSTRAINT"]))
    contents = hashlib.blake2b(digest_size=16)
    for file in files:
        contents.update(f"{file}\n".encode() + file.read_bytes())
    return contents.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
