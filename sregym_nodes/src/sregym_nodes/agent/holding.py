"""The process that holds a change: it applies it, checks it while it lasts, and undoes it when it expires.

It has no parent: the process that requested the change may die, and the machine recovers when the time is over.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from . import facts, registry
from .journal import APPLIED, ENDED, Entry, Journal
from .refusal import Refusal
from .trial import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .backend import Backend

_READY_S = 60.0
_END_S = 20.0
_DESCRIPTORS = 1 << 16
_CGROUP_NAMESPACE = 0x02000000  # CLONE_NEWCGROUP


class _Told:
    """Whether this process is told to end."""

    def __init__(self) -> None:
        self.to_end = False
        self._read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write)
        signal.signal(signal.SIGTERM, self._on_signal)
        # It is named so that it does not stand still.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def wait(self, timeout_s: float) -> None:
        """Until a signal, or so long."""
        if select.select((self._read,), (), (), max(0.0, timeout_s))[0]:
            os.read(self._read, 512)

    def _on_signal(self, number: int, frame: object) -> None:
        self.to_end = True


def start(journal: Journal, ident: str, *, again: bool = False) -> Mapping[str, Any]:
    """Start the process for a change, and wait until it stands.

    Args:
        journal: Where the change stands.
        ident: Which.
        again: It was made before, and its process was lost.

    Raises:
        Refusal: It could not be made; nothing is left of it.
    """
    reading, writing = os.pipe()
    # What is loaded here already need not be loaded anew, which would take longer than the change.
    if os.fork() == 0:
        _be_the_holder(journal, ident, writing, again)
    os.close(writing)
    text = b""
    while select.select((reading,), (), (), _READY_S)[0]:
        part = os.read(reading, 65536)
        if not part:
            break
        text += part
    os.close(reading)
    said: Mapping[str, Any] = json.loads(text or b"{}")
    if not said.get("ok"):
        raise Refusal(
            str(said.get("error") or f"the process that makes it ended; see {journal.folder}/log")
        )
    return said


def _be_the_holder(journal: Journal, ident: str, answer: int, again: bool) -> NoReturn:
    """In the child: of the process that asked, only the loaded modules are left."""
    failed = 1
    try:
        os.setsid()
        os.chdir("/")
        log = os.open(journal.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, fd in enumerate((nowhere, nowhere, log)):
            os.dup2(fd, number)
        # The lock of the journal among them, which is its parent's.
        os.closerange(3, answer)
        os.closerange(answer + 1, _DESCRIPTORS)
        hold(journal, ident, answer, again=again)
        failed = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(failed)


def end(journal: Journal, entry: Entry) -> None:
    """End the process of a change and undo the change, whatever is left of either.

    Raises:
        Refusal: It cannot be undone yet; the change stays in the journal.
    """
    if entry.is_held:
        with suppress(ProcessLookupError):
            os.kill(entry.holder[0], signal.SIGTERM)
        if not wait_for(lambda: not entry.is_held, _END_S):
            with suppress(ProcessLookupError):
                os.kill(entry.holder[0], signal.SIGKILL)
    # What it wrote down last.
    last = journal.entry(entry.ident) or entry
    registry.named(last.backend).undo(last.state)
    journal.remove(last.ident)


def hold(journal: Journal, ident: str, answer: int, *, again: bool = False) -> None:
    """What that process does.

    Args:
        journal: Where the change stands.
        ident: Which.
        answer: Descriptor that receives that the change stands, or why not.
        again: The change stands already, and its process was lost.
    """
    told = _Told()
    _leave_groups()
    entry = journal.change(ident, holder=[os.getpid(), facts.started(os.getpid())])
    backend = registry.named(entry.backend)
    try:
        effect = entry.effect if again else _make(journal, entry, backend)
    except (Refusal, OSError, subprocess.SubprocessError) as error:
        with suppress(Refusal):
            backend.undo((journal.entry(ident) or entry).state)
            journal.remove(ident)
        _say(answer, {"error": str(error)})
        return
    journal.change(ident, phase=APPLIED, effect=dict(effect))
    _say(answer, {"ok": True, "effect": dict(effect), "backend": backend.name})
    _see_to_it(journal, ident, backend, told)


def _make(journal: Journal, entry: Entry, backend: Backend) -> Mapping[str, Any]:
    def note(state: Mapping[str, Any]) -> None:
        journal.change(entry.ident, state=dict(state))

    backend.inject(entry.ask, note)
    now = journal.entry(entry.ident) or entry
    return backend.probe(now.ask, now.state)


def _see_to_it(journal: Journal, ident: str, backend: Backend, told: _Told) -> None:
    while not told.to_end:
        entry = journal.entry(ident)
        if entry is None:
            return
        left = entry.until - facts.now()
        if left <= 0:
            _heal(journal, entry, backend, told)
            return
        if not backend.needs_attention:
            told.wait(left)
        elif not backend.attend(entry.ask, left):
            backend.undo(entry.state)
            journal.change(ident, phase=ENDED)
            return
    # Who told it to end undoes the rest.
    entry = journal.entry(ident)
    if entry is not None:
        with suppress(Refusal):
            backend.dismiss(entry.state)


def _heal(journal: Journal, entry: Entry, backend: Backend, told: _Told) -> None:
    """The lease was not renewed in time: undo the change, unless another process is about to."""
    with journal.locked():
        if not told.to_end and journal.entry(entry.ident) is not None:
            backend.undo(entry.state)
            journal.remove(entry.ident)


def _say(answer: int, what: Mapping[str, Any]) -> None:
    with suppress(OSError):
        os.write(answer, json.dumps(what).encode())
        os.close(answer)


def _leave_groups() -> None:
    """Go to the root of the control groups: those of a login or a pod end with it."""
    with suppress(OSError):
        fd = os.open("/proc/1/ns/cgroup", os.O_RDONLY)
        ctypes.CDLL(None).setns(fd, _CGROUP_NAMESPACE)
        os.close(fd)
    for name in ("", "unified", "systemd", "cpu", "memory", "pids"):
        members = facts.CGROUPS / name / "cgroup.procs"
        if members.exists():
            with suppress(OSError):
                Path(members).write_text(str(os.getpid()), encoding="ascii")
