"""Keeps the arguments of a command line out of the process list.

A problem is named on the command line, and an agent on the same machine can read the
command lines of all processes. So this process is replaced by one whose command line says `@N`: the
words are handed over in an open file without a name, which is closed as soon as it was read.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# What needs no agent on the machine is not worth a second start of the interpreter.
OPEN = ("quickstart", "problems", "faults", "show", "report", "plugins", "doctor", "new", "submit")


def handed_over(words: Sequence[str]) -> list[str]:
    """The words to run.

    Returns only in a process whose command line may be read by any process: those of another were
    handed over to it, or hold nothing confidential.
    """
    if len(words) == 1 and words[0].startswith("@") and words[0][1:].isdecimal():
        return _taken(int(words[0][1:])) or list(words)
    name = next((word for word in words if word != "--traceback"), "")
    if len(words) < 2 or name.startswith("-") or name in OPEN or {"-h", "--help"} & set(words):
        return list(words)
    _replace(words)
    return list(words)


def _taken(number: int) -> list[str] | None:
    """What was handed over; None when there is no such file, or it holds something else."""
    try:
        with os.fdopen(number, encoding="utf-8") as file:
            words = json.load(file)
    except (OSError, ValueError):
        return None
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return words
    return None


def _replace(words: Sequence[str]) -> None:
    """Begin this process anew; comes back only where that cannot be done."""
    if os.name != "posix" or not sys.executable:
        return
    interpreter = sys.orig_argv[1 : len(sys.orig_argv) - len(words)]
    if sys.orig_argv[len(sys.orig_argv) - len(words) :] != list(words):
        interpreter = ["-m", "sregym_core"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        json.dump(list(words), file)
        file.flush()
        file.seek(0)
        os.set_inheritable(file.fileno(), True)
        argv = [sys.executable, *interpreter, f"@{file.fileno()}"]
        os.execv(sys.executable, argv)  # noqa: S606 - this very program
