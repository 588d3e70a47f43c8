"""What has to be there, and what must not be left."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

# Programs of the machine itself, as on a node: none of an environment for tests.
SYSTEM = ("env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def needs(*programs: str) -> None:
    """Skip where a program is missing or cannot run on this processor, or this is not root."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs the program {program}")
    if "linux.uml" in programs and "put_fp_registers" in _words_of_a_guest():
        # Its buffer for them is of fixed size; processors with AMX have more.
        pytest.skip("user-mode Linux has no room for the registers of this processor")


@cache
def _words_of_a_guest() -> str:
    """What user-mode Linux says while it runs a program that ends at once, and then itself ends."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("linux.uml", "mem=64M", "rootfstype=hostfs", "rootflags=/", "ro", "init=/bin/true")
        console = ("con=null", "con0=fd:0,fd:1", f"uml_dir={folder}/")
        done = subprocess.run(
            (*words, *console),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
    return done.stdout.decode(errors="replace")


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
