"""System calls that fail since kernel programs (eBPF) return errors: no process stops, and nothing is pinned.

A program belongs to the process that holds the change: whatever ends that one ends the fault, and a time
stands in the program itself, after which it lets everything pass.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import select
import struct
import sys
from abc import abstractmethod
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, FrozenSet  # noqa: UP035 - read by Python 3.9

from . import calls, facts, hooks, places, programs
from .backend import Backend
from .meant import TargetProcesses
from .places import Places
from .programs import KernelError, Program
from .refusal import Refusal
from .scope import Scope, no_process_message
from .trial import Trial, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .backend import Note
    from .journal import Entry

_LOOK_S, _ANEW_S, _GONE_S = 0.1, 0.5, 5.0
# A program outlasts the look at its lease by so much, and stands so long while it is tried.
_GRACE_S, _TRIAL_S = 2.0, 60.0
_NOBODY = 0xFFFFFFFF
_RULE = struct.Struct("=8IiIII")
# As tracing programs are called, since it is one.
_NAME, _SET_NAME = b"bpftrace", 15  # PR_SET_NAME
# With so many times the calls that one failure takes, none comes once in some hundred million trials.
_ENOUGH = 20


class SyscallErrors(Backend):
    """Programs of one family, and whom they are about."""

    kinds: ClassVar[FrozenSet[str]] = frozenset({"calls"})  # noqa: UP006 - likewise
    family: ClassVar[str]
    # What a kernel needs that refuses them.
    remedy: ClassVar[str]
    # Whether whatever is answered reaches the caller as it is.
    any_error: ClassVar[bool] = False

    def __init__(self) -> None:
        self._program: Program | None = None
        self._meant: TargetProcesses | None = None
        self._next = 0.0
        self._note: Note | None = None
        self._told: list[int] = []
        self._first: list[int] = []

    @classmethod
    def can(cls, ask: Mapping[str, Any]) -> bool:
        """Whether such a call can be answered so, on any machine; programs cannot wait."""
        return bool(ask.get("error")) and cls.reaches(str(ask.get("call")))

    def repair(self, entry: Entry) -> list[list[str]]:
        """The process that holds the programs is ended, by the name that it has."""
        return [["pkill", "-x", _NAME.decode()]]

    @classmethod
    def reaches(cls, call: str) -> bool:
        """Whether a security module is called in the course of a system call."""
        return call in hooks.HOOKS

    @classmethod
    def unfit(cls, ask: Mapping[str, Any]) -> str:
        """Why it cannot serve this, wherever; empty when it can."""
        errors = () if cls.any_error else hooks.HOOKS[ask["call"]].errors
        if errors and ask["error"] not in errors:
            known = ", ".join(sorted(errors))
            return f"a no to what the kernel asks on the way of {ask['call']} can be {known} alone"
        return ""

    def about(self, ask: Mapping[str, Any], found: Places) -> str:
        """What is looked at of files: `any`, `path` or `inode`."""
        kind = hooks.HOOKS[ask["call"]].about
        return kind if kind and found.are_limited else "any"

    @abstractmethod
    def loaded(self, ask: Mapping[str, Any], about: str, rule: bytes) -> Program:
        """The program, attached to nothing yet."""

    @abstractmethod
    def attach(self, ask: Mapping[str, Any], program: Program) -> None:
        """Where it is to act, unless its scope defines that."""

    def try_on(self, ending: ExitStack, program: Program, pid: int) -> None:
        """Make a process that of its scope."""
        program.maps["pids"].set(struct.pack("=I", pid), places.THERE)

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Let the call of a process made for that fail, and that of another one not."""
        why = self._known(ask)
        if why:
            return why
        pids = []
        if ask.get("scope"):
            scope = Scope(ask["scope"])
            pids = scope.pids()
            if not pids:
                return no_process_message(scope)
        try:
            return self._tried(ask, Places(ask, pids))
        except KernelError as error:
            return self._refused(error)
        except (Refusal, OSError) as error:
            return str(error)

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Load, write its scope, attach; it acts once a time is written to it."""
        scope = Scope(ask["scope"])
        pids = scope.pids()
        if not pids:
            raise Refusal(no_process_message(scope))
        ctypes.CDLL(None).prctl(_SET_NAME, _NAME)
        note({"links": []})
        self._note = note
        self._first = pids
        found = Places(ask, pids)
        by_group = TargetProcesses.by_group(scope)
        rule = _rule(ask, limited=found.are_limited, pids=not by_group)
        try:
            self._program = self.loaded(ask, self.about(ask, found), rule)
            self._meant = TargetProcesses(self._program, scope, found, by_group=by_group)
            self._refresh()
            self.attach(ask, self._program)
            self._tell()
        except KernelError as error:
            self._close()
            raise Refusal(self._refused(error)) from error
        self._meant.until(_TRIAL_S)

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """A call of a process that is put in the scope fails, one of another process does not."""
        assert self._meant is not None
        call, share = str(ask["call"]), float(ask.get("share") or 1.0)
        wanted, file = calls.number_of(ask["error"]), self._meant.places.first()
        effect = {"processes": len(self._meant.scope.pids()), "share": share}
        if self._meant.places.are_limited and file is None:
            return {**effect, "seen": "no file is there yet to try it with"}
        with Trial(call, file, error=wanted, times=_times(share)) as trial:
            if not self._meant.put(trial.pid):
                return {**effect, "seen": "nobody can be put there to try it"}
            said = trial.call().error
            self._meant.take(trial.pid)
        with Trial(call, file) as other:
            besides = other.call().error
        if said != wanted and not any(map(facts.started, self._first)):
            return {**effect, "seen": "all whom it is about have ended at such a call"}
        if said != wanted or besides == wanted:
            seen = os.strerror(said) if said else "no error"
            what = "others fail, too" if said == wanted else f"a call of {call} there gave {seen}"
            msg = f"injected, but no effect is seen, so it was undone: {what}"
            raise Refusal(msg)
        return {**effect, "seen": f"{call} fails with {ask['error']} there, and not elsewhere"}

    def undo(self, state: Mapping[str, Any]) -> None:
        """All of it is in the process that held it; see that it is gone."""
        self._close()
        ours = set(state.get("links", ()))
        if ours and not wait_for(lambda: not ours & set(programs.links()), _GONE_S):
            left = sorted(ours & set(programs.links()))
            msg = f"links {left} of kernel programs are still there; look who holds them (bpftool link)"
            raise Refusal(msg)

    def dismiss(self, state: Mapping[str, Any]) -> None:
        """Give everything back now, not only with the end of the process."""
        self._close()

    @property
    def needs_attention(self) -> bool:
        """Pods come later, containers start again, and the time in the program goes on."""
        return True

    def attend(self, ask: Mapping[str, Any], timeout_s: float) -> bool:
        """Let it go on until its time, and see who has come."""
        assert self._meant is not None
        self._meant.until(timeout_s + _GRACE_S)
        if facts.now() >= self._next:
            # Who has gone meanwhile is not looked at.
            with suppress(OSError, Refusal):
                self._refresh()
        select.select((), (), (), min(timeout_s, _LOOK_S))
        return True

    def _refresh(self) -> None:
        assert self._program is not None
        assert self._meant is not None
        self._next = facts.now() + _ANEW_S
        self._meant.refresh(self.enter)
        self._tell()

    def _tell(self) -> None:
        """Write down what attaches the program, where that is new."""
        assert self._program is not None
        assert self._note is not None
        links = self._program.links()
        if links != self._told:
            self._note({"links": links})
        self._told = links

    def enter(self, program: Program, number: int, folder: int) -> None:
        """A control group is meant, too: so many are already, and this is a descriptor of its folder."""
        program.maps["groups"].set(struct.pack("=I", number), struct.pack("=I", folder))

    def _known(self, ask: Mapping[str, Any]) -> str:
        """What can be said without a trial."""
        if not facts.is_root():
            return "kernel programs need root here; run as root, or allow sudo without a password"
        if not calls.number_of(ask["error"]):
            return f"the kernel has no error {ask['error']!r}; use a name like EIO"
        if not hooks.numbers_of(str(ask["call"])):
            return f"the number of {ask['call']} is not known for the processor of this machine"
        unfit = self.unfit(ask)
        if unfit:
            return unfit
        why = programs.why_not(self.family)
        if why:
            return f"kernel {facts.kernel()} refuses all such programs: {why}; {self.remedy}"
        return ""

    def _refused(self, error: KernelError) -> str:
        return f"kernel {facts.kernel()} refuses this program: {error.told}; {self.remedy}"

    def _tried(self, ask: Mapping[str, Any], found: Places) -> str:
        """Why a call of a process made for that does not fail as it should; empty when it does."""
        call, wanted = str(ask["call"]), calls.number_of(ask["error"])
        about = self.about(ask, found)
        with ExitStack() as ending:
            file = found.first()
            if about != "any" and file is None:
                file = str(_empty_file(ending))
            with Trial(call, file) as plain:
                if plain.call().error == wanted:
                    return (
                        f"{call} fails with {ask['error']} here anyway, so no effect could be told"
                    )
            rule = _rule({**ask, "share": 1.0}, limited=about != "any", pids=True)
            program = ending.enter_context(self.loaded(ask, about, rule))
            trial = ending.enter_context(Trial(call, file))
            other = ending.enter_context(Trial(call, file))
            if file and about == "path":
                for name in {file, re.sub(r"^/proc/\d+/root", "", file)}:
                    program.maps["paths"].set(places.path_of(name), places.THERE)
            elif file and about == "inode":
                program.maps["inodes"].set(places.inode_of(Path(file)), places.THERE)
            self.try_on(ending, program, trial.pid)
            self.attach(ask, program)
            TargetProcesses.last(program, _TRIAL_S)
            said, besides = trial.call().error, other.call().error
        if besides == wanted:
            return f"{call} of other processes failed as well"
        if said == 255:
            return f"nobody knows how to try {call!r} harmlessly; it is none of the calls of faults"
        seen = os.strerror(said) if said else "no error"
        if said == wanted:
            return ""
        return f"a program was there, but a call of {call} gave {seen}; {self.remedy}"

    def _close(self) -> None:
        if self._program is not None:
            self._program.close()
        self._program = None


def _rule(ask: Mapping[str, Any], *, limited: bool, pids: bool) -> bytes:
    """What a program goes by, as its sources have it."""
    numbers = hooks.numbers_of(str(ask["call"]))
    share = float(ask.get("share") or 1.0)
    part = 0 if share >= 1 else max(1, int(share * 2**32))
    padded = numbers + [_NOBODY] * (8 - len(numbers))
    return _RULE.pack(*padded, -calls.number_of(str(ask["error"])), part, int(pids), int(limited))


def _empty_file(ending: ExitStack) -> Path:
    """A file beside the journal, until the trial is over."""
    path = Path(sys.argv[0]).resolve().parent / f"trial.{os.getpid()}"
    path.touch()
    ending.callback(path.unlink)
    return path


def _times(share: float) -> int:
    return 1 if share >= 1 else math.ceil(_ENOUGH / share)
