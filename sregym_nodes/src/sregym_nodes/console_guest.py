"""Runs in a guest, on its console: takes commands from there and answers. Needs Python 3.9 alone.

A request is lines of base64, each answered with `+`, and an empty line; the answer is a line that
begins with a mark, since kernels write to consoles too.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tty

MARK = "\x01"


def main() -> None:
    """Serve until the console is closed."""
    tty.setraw(0)
    _write(MARK + "ready")
    while True:
        parts = []
        while True:
            line = sys.stdin.readline()
            if not line:
                return
            if not line.strip():
                break
            parts.append(line.strip())
            _write(MARK + "+")
        _reap()
        _answer(json.loads(base64.b64decode("".join(parts))))


def _reap() -> None:
    """Reap ended processes: in a guest whose first process this is, no other process does."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _answer(asked: dict) -> None:  # type: ignore[type-arg]
    try:
        done = subprocess.run(
            asked["argv"], input=asked["stdin"], capture_output=True, text=True, check=False
        )
        said = [done.returncode, done.stdout, done.stderr]
    except OSError as error:
        said = [127, "", str(error)]
    _write(MARK + base64.b64encode(json.dumps(said).encode()).decode())


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
