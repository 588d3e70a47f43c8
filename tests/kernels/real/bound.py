"""Processes of guests, which end with whoever started them, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence

from sregym_nodes.console import Console

# Guests hear nothing of a console that is closed; so somebody waits beside them for that.
_WATCH = 'read _; kill -s KILL -- "-$1"; eval "$2"'


class Bound:
    """A guest that runs, with its helpers.

    Args:
        words: The command.
        left: What is to be done in a shell besides, where nobody is there any more to do it.
    """

    def __init__(self, words: Sequence[str], left: str = "") -> None:
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._watch = subprocess.Popen(
            ["sh", "-c", _WATCH, "sh", str(self.pid), left],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.console = Console(self._process.stdin, self._process.stdout)

    def wait_until_ready(self, timeout_s: float) -> None:
        """Wait for the guest; it is ended when it does not come up."""
        try:
            self.console.wait_until_ready(timeout_s)
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """At once, with its helpers, which would outlive it."""
        self._watch.kill()
        self._watch.wait()
        os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        for file in (self._process.stdin, self._process.stdout, self._watch.stdin):
            assert file is not None
            file.close()
