"""What has to be there, and what must not be left."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

# Programs of the machine itself, as on a node: none of an environment for tests.
SYSTEM = ("env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def needs(*programs: str) -> None:
    """Skip where a program is missing, or this is not root."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs the program {program}")


def leftovers(word: str) -> list[str]:
    """Processes whose command line has a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if f"{word}/nodectl" in line:
            found.append(line)
    return found
