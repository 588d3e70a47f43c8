"""System calls that fail or are late by `strace --inject`: no option of the kernel is needed.

Each call of a traced process stops twice, so all its calls become slower, not only those that fail.
A tracer that dies lets its processes go on as before.
"""

from __future__ import annotations

import ctypes
import glob
import os
import re
import select
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import calls, facts, files
from .backend import Backend
from .refusal import Refusal
from .scope import Scope, no_process_message
from .trial import Trial, TrialResult, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .backend import Note
    from .journal import Entry

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_ATTACH_S = 5.0
_LOOK_S = 0.1
# Kubelets start again within five minutes what ended.
_BACK_OFF_S = 330
# One process can be told to look at so many files.
_FILES = 256
_INJECTED = re.compile(rb"\((?:INJECTED|DELAYED)\)")


class Strace(Backend):
    """Processes of a scope, each stopped at the calls that are meant."""

    name: ClassVar[str] = "strace"
    kinds: ClassVar[frozenset[str]] = frozenset({"calls"})

    def __init__(self) -> None:
        self._tracers: dict[int, subprocess.Popen[bytes]] = {}
        # Whom each of them was attached to.
        self._meant: dict[int, list[int]] = {}
        self._scope: Scope | None = None
        self._note: Note | None = None
        self.hits = 0

    def repair(self, entry: Entry) -> list[list[str]]:
        """The tracers are ended; where what they trace ends again and again, there is none now and then."""
        ended = f"until pkill -x {self.name}; do sleep 0.2; done"
        return [["timeout", str(_BACK_OFF_S), "sh", "-c", ended]]

    def resource(self, ask: Mapping[str, Any]) -> str:
        """The processes: the kernel lets only one program trace each."""
        return f"tracing of {Scope(ask.get('scope') or {}).key}"

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Trace a process made for that, and see its call fail."""
        if not facts.is_root():
            return "strace needs root here; run as root, or allow sudo without a password"
        if shutil.which("strace") is None:
            return "the program strace is not on this machine; install the package strace"
        if ask.get("error") and not calls.number_of(ask["error"]):
            return f"the kernel has no error {ask['error']!r}; use a name like EIO"
        why = self._busy(ask) if ask.get("scope") else ""
        return why or self._tried(ask)

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Attach to all that are there."""
        self._scope = Scope(ask["scope"])
        self._note = note
        if not self._scope.pids():
            raise Refusal(no_process_message(self._scope))
        self._attach(ask)

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """A call of a traced process fails, and all that are meant are traced.

        Theirs count first: who ends at such a call leaves nothing that a trial could name.
        """
        assert self._scope is not None
        meant = list(self._meant.values())
        self._hear(0)
        why = "" if self.hits else self._tried(ask)
        if why and not self.hits:
            self._hear(_LOOK_S)
        if self.hits or not any(facts.started(pid) for pids in meant for pid in pids):
            why = ""
        if not why and not wait_for(lambda: not self._untraced(ask), _ATTACH_S):
            why = f"processes {self._untraced(ask)} of {self._scope.told} are not traced"
        if why:
            msg = f"injected, but no effect is seen, so it was undone: {why}"
            raise Refusal(msg)
        share = _step(ask)
        return {
            "processes": len(self._scope.pids()),
            "share": 1.0 / share,
            "cost": "each call of the traced processes takes some 30 microseconds more",
        }

    def undo(self, state: Mapping[str, Any]) -> None:
        """Detach from all; processes that are stopped go on."""
        for pid, start in state.get("tracers", ()):
            if facts.started(pid) == start:
                _tell(pid, signal.SIGTERM)
        for pid, start in state.get("tracers", ()):
            if not wait_for(lambda pid=pid, start=start: self._gone(pid, start), _ATTACH_S):  # type: ignore[misc]
                _tell(pid, signal.SIGKILL)

    @property
    def needs_attention(self) -> bool:
        """Others come later: children of a runtime, containers that start again."""
        return True

    def attend(self, ask: Mapping[str, Any], timeout_s: float) -> bool:
        """Attach to new processes; False when a tracer was ended while its processes go on."""
        self._hear(min(timeout_s, _LOOK_S))
        for pid, tracer in list(self._tracers.items()):
            if tracer.poll() is None:
                continue
            del self._tracers[pid]
            # One that ended by a signal was killed; others end with the processes that they trace.
            if any(map(facts.started, self._meant.pop(pid))) or (tracer.returncode or 0) < 0:
                return False
        assert self._scope is not None
        self._attach(ask)
        return True

    def _hear(self, timeout_s: float) -> None:
        """What tracers tell of calls that were met."""
        pipes = [tracer.stderr for tracer in self._tracers.values() if tracer.stderr is not None]
        for pipe in select.select(pipes, (), (), timeout_s)[0]:
            self.hits += len(_INJECTED.findall(os.read(pipe.fileno(), 65536)))

    def _gone(self, pid: int, start: int) -> bool:
        tracer = self._tracers.get(pid)
        if tracer is not None:
            tracer.poll()
        return facts.started(pid) != start

    def _busy(self, ask: Mapping[str, Any]) -> str:
        """Who traces already what is meant."""
        scope, ours = Scope(ask["scope"]), dict((ask.get("replaces") or {}).get("tracers", ()))
        pids = scope.pids()
        if not pids:
            return no_process_message(scope)
        for pid in pids:
            tracer = int(facts.status(pid, "TracerPid") or 0)
            if tracer and tracer not in ours:
                who = (
                    f"{facts.name_of(tracer) or 'a program of another machine'} (process {tracer})"
                )
                return (
                    f"process {pid} ({facts.name_of(pid)}) is already traced by {who}, and the kernel "
                    "allows one tracer; end that one first"
                )
        return ""

    def _is_ours(self, pid: int) -> bool:
        return int(facts.status(pid, "TracerPid") or 0) in self._tracers

    def _untraced(self, ask: Mapping[str, Any]) -> list[int]:
        """Who is left after all were attached to: who ended at its first call has been started again."""
        self._attach(ask)
        assert self._scope is not None
        return [pid for pid in self._scope.pids() if self._missed(pid)]

    def _missed(self, pid: int) -> bool:
        return facts.started(pid) != 0 and not self._is_ours(pid)

    def _attach(self, ask: Mapping[str, Any]) -> None:
        """Trace those that have no tracer."""
        assert self._scope is not None
        assert self._note is not None
        new = [pid for pid in self._scope.pids() if facts.status(pid, "TracerPid") == "0"]
        if not new:
            return
        tracer = _traced(new, _words(ask, new), subprocess.PIPE)
        self._tracers[tracer.pid], self._meant[tracer.pid] = tracer, new
        tracers = [[pid, facts.started(pid)] for pid in self._tracers]
        self._note({"tracers": tracers})
        wait_for(lambda: not any(map(self._missed, new)) or tracer.poll() is not None, _ATTACH_S)
        if tracer.poll() and any(map(self._missed, new)):
            said = tracer.stderr.read().decode(errors="replace") if tracer.stderr else ""
            msg = f"strace could not attach to {new}: {said.strip() or 'it said nothing'}"
            raise Refusal(msg)

    def _tried(self, ask: Mapping[str, Any]) -> str:
        """Why a call of a process made for that does not fail as it should; empty when it does."""
        call, error = str(ask["call"]), calls.number_of(str(ask.get("error") or ""))
        late_s = 0.0 if error else float(ask.get("delay_ms") or 0) / 1000
        file, real = _first_file(ask) if call in calls.OF_FILES else (None, None)
        # A file that is not there yet cannot be named by a descriptor.
        words = _words(ask if file else {**ask, "path": "", "files": ""}, (), file)
        if _once(call, real, late_s, ()).error == error and error:
            return f"{call} fails with {ask['error']} here anyway, so no effect could be told"
        said = TrialResult(0, late=False)
        for _ in range(3):  # it may have called before the tracer was there
            said = _once(call, real, late_s, words)
            if said.error == error and (error or said.late):
                return ""
        if said.error == 255:
            return f"nobody knows how to try {call!r} harmlessly; it is none of the calls of faults"
        if call in ("gettimeofday", "clock_gettime") and not said.error:
            return (
                f"{call} is answered in user space (vDSO), where no tracer sees it; no back end can"
            )
        seen = os.strerror(said.error) if said.error else "no error"
        return f"a traced call of {call} gave {seen}; the kernel or a rule of this machine refuses tracing"


def _once(call: str, path: str | None, late_s: float, words: Sequence[str]) -> TrialResult:
    with Trial(call, path, late_s * 0.8) as trial:
        if not words:
            return trial.call()
        tracer = _traced((trial.pid,), words, subprocess.DEVNULL)
        try:
            wait_for(
                lambda: (
                    facts.status(trial.pid, "TracerPid") == str(tracer.pid)
                    or tracer.poll() is not None
                ),
                _ATTACH_S,
            )
            return trial.call()
        finally:
            _tell(tracer.pid, signal.SIGKILL)
            tracer.wait()


def _traced(pids: Sequence[int], words: Sequence[str], output: int) -> subprocess.Popen[bytes]:
    targets = [word for pid in pids for word in ("-p", str(pid))]
    return subprocess.Popen(
        ["strace", "-f", "-qqq", *words, *targets],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=output,
        cwd="/",
        preexec_fn=_apart,  # noqa: PLW1509 - there are no threads
    )


def _tell(tracer: int, number: signal.Signals) -> None:
    """Send a signal to a tracer, and to what it tries itself with before it begins."""
    with suppress(ProcessLookupError):
        os.killpg(tracer, number)


def _apart() -> None:
    """In a group of its own, and ended with its parent."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, int(signal.SIGTERM))


def _step(ask: Mapping[str, Any]) -> int:
    """Each how many-th call is meant: the nearest to the share that strace can say."""
    share = float(ask.get("share") or 1.0)
    nearest: int = min(range(1, 1001), key=lambda step: abs(1 / step - share))
    return nearest


def _words(ask: Mapping[str, Any], pids: Sequence[int], path: str | None = None) -> list[str]:
    """Arguments of strace."""
    named = ",".join(f"?{name}" for name in calls.variants(str(ask["call"])))
    does = f"error={ask['error']}" if ask.get("error") else f"delay_enter={_micros(ask)}"
    step = _step(ask)
    when = f":when=1+{step}" if step > 1 else ""
    words = ["-e", f"trace={named}", "-e", f"inject={named}:{does}{when}", "-e", "signal=none"]
    # What succeeds need not be told, but of calls that are only late.
    words += ["-Z"] if ask.get("error") else []
    files = [path] if path else sorted(_files(ask, pids))
    return words + [word for file in files for word in ("-P", file)]


def _micros(ask: Mapping[str, Any]) -> int:
    return int(float(ask.get("delay_ms") or 0) * 1000)


def _files(ask: Mapping[str, Any], pids: Sequence[int]) -> set[str]:
    """Files to which the calls are restricted, as the processes see them; none: all."""
    if ask.get("path"):
        pattern = str(ask["path"])
        if pattern.endswith("/"):
            return {file for pid in pids for file in files.below(f"/proc/{pid}/root", pattern)}
        if not glob.has_magic(pattern):
            return {pattern}
        found = {file for pid in pids for file in _matching(pid, pattern)}
        return found or {pattern}
    if ask.get("files") == "volumes" and ask["call"] in calls.OF_FILES:
        return {file for pid in pids for file in files.on_volumes(pid, _FILES)}
    return set()


def _matching(pid: int, pattern: str) -> set[str]:
    root = f"/proc/{pid}/root"
    return {file[len(root) :] for file in glob.glob(root + pattern)}  # noqa: PTH207 - the pattern is absolute


def _first_file(ask: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """A file with which the trial names what the calls are restricted to, and where it is seen here."""
    pids = Scope(ask["scope"]).pids() if ask.get("scope") else []
    for file in sorted(_files(ask, pids)):
        if ask["call"] in ("open", "openat"):
            return file, file
        for pid in pids:
            real = f"/proc/{pid}/root{file}"
            if Path(real).is_file():
                return file, real
    return None, None
