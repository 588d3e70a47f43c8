"""A guest that is reached by its console alone: a virtual machine, or a kernel that runs as a process."""

from __future__ import annotations

import base64
import json
import os
import select
import time
from typing import TYPE_CHECKING

from sregym_nodes.remote import AgentError
from sregym_nodes.transports import TIMEOUT_S, Done

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

# Consoles buffer little; longer lines are lost.
_CHUNK = 512
_MARK = b"\x01"


class Console:
    """A guest on whose console `sregym_nodes.console_guest` runs.

    Args:
        into: What the guest reads.
        out: What the guest writes.
    """

    def __init__(self, into: IO[bytes], out: IO[bytes]) -> None:
        self._into = into
        self._out = out
        self._rest = b""
        # All that the guest's kernel and programs wrote besides, for errors.
        self.said = b""

    def wait_until_ready(self, timeout_s: float = TIMEOUT_S) -> None:
        """Wait for the guest.

        Raises:
            AgentError: It did not come up.
        """
        self._expect(b"ready", timeout_s)

    def __call__(self, argv: Sequence[str], stdin: str = "") -> Done:
        """Run a command in the guest.

        Raises:
            AgentError: The guest is gone, or the command does not end.
        """
        asked = json.dumps({"argv": list(argv), "stdin": stdin}).encode()
        text = base64.b64encode(asked)
        for start in range(0, len(text), _CHUNK):
            self._write(text[start : start + _CHUNK] + b"\n")
            self._expect(b"+", TIMEOUT_S)
        self._write(b"\n")
        code, out, err = json.loads(base64.b64decode(self._line(TIMEOUT_S)))
        return Done(code, out, err)

    def _write(self, data: bytes) -> None:
        try:
            self._into.write(data)
            self._into.flush()
        except OSError as error:
            raise AgentError(self._gone()) from error

    def _expect(self, word: bytes, timeout_s: float) -> None:
        line = self._line(timeout_s)
        if line != word:
            msg = f"the guest's console answered {line[:200]!r} instead of {word!r}"
            raise AgentError(msg)

    def _line(self, timeout_s: float) -> bytes:
        """The next line with a mark, without it."""
        end = time.monotonic() + timeout_s
        while True:
            while b"\n" in self._rest:
                line, _, self._rest = self._rest.partition(b"\n")
                before, mark, answer = line.partition(_MARK)
                self.said += before + (b"" if mark else b"\n")
                if mark:
                    return answer.strip()
            left = max(0.0, end - time.monotonic())
            if not select.select((self._out,), (), (), left)[0]:
                msg = f"the guest did not answer on its console within {timeout_s:g} s: {self._tail()}"
                raise AgentError(msg)
            part = os.read(self._out.fileno(), 65536)
            if not part:
                raise AgentError(self._gone())
            self._rest += part

    def _gone(self) -> str:
        return f"the guest is gone; the last on its console: {self._tail()}"

    def _tail(self) -> str:
        return (self.said + self._rest)[-400:].decode(errors="replace").strip()
