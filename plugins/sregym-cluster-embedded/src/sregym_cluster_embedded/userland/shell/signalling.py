"""Signals: their names, whom `kill` means, and what they do to main processes and to shells."""

from __future__ import annotations

import shlex
import signal
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.process import processes
from sregym_cluster_embedded.userland.shell.errno_messages import shell_name
from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_HUP, _INT, _KILL, _PIPE, _TERM = 1, 2, 9, 13, 15
# In the order of their numbers, from 1.
SIGNALS = (
    *("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2"),
    *("PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG"),
    *("XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"),
)
NUMBERS = {name: number for number, name in enumerate(SIGNALS, start=1)}
# Those without effect on a process that does not ask for them: CHLD, CONT, URG, WINCH. Only main
# processes of containers stop, by a signal of their node: on others STOP, TSTP, TTIN, TTOU are without effect.
HARMLESS = frozenset((0, 17, 18, 19, 20, 21, 22, 23, 28))
# Those that no process can handle or ignore: KILL, STOP.
UNSTOPPABLE = frozenset((9, 19))
# Those that an interactive shell does not end by: INT, QUIT, TERM.
SHRUGGED_OFF = frozenset((2, 3, 15))


def signal_of(words: list[str]) -> tuple[int, list[str]]:
    """Number of the signal that a `kill` sends, -1 for an unknown name, and to whom."""
    number, targets, index = _TERM, [], 1
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("-s", "-n") and index < len(words):
            word, index = f"-{words[index]}", index + 1
        if word.startswith("-") and len(word) > 1:
            name = word[1:].upper().removeprefix("SIG")
            number = int(name) if name.isdecimal() else NUMBERS.get(name, -1)
        else:
            targets.append(word)
    return number, targets


def to_itself(session: Session, words: list[str]) -> int:
    """The signal that a `kill` sends to the shell that it is written in; 0 for none."""
    if words[1:2] == ["-l"]:
        return 0
    number, targets = signal_of(words)
    return max(number, 0) if str(session.pid) in targets else 0


def ended(session: Session, words: list[str], result: Output, number: int) -> Output:
    """What a shell adds to the words of a child that a signal has ended."""
    if number in (_INT, _PIPE):
        return result
    about = signal.strsignal(number) or f"Unknown signal {number}"
    if session.shell == "bash":
        about = f"{shell_name(session)}: {session.pid + 1:5d} {about:<24}{shlex.join(words)}"
    return Output(result.code, result.out, f"{result.err}{about}\n")


def send_to_main(session: Session, number: int) -> None:
    """Let a signal reach the main process; as PID 1 it ignores what it has no handler for."""
    world, process, runtime = session.world, session.process, session.runtime
    program = runtime.program_of(process)
    kind = runtime.kind_of(process) if program is not None else None
    if kind is not None and number == _HUP:
        kind.hang_up(world, process, program, session.pid)
    if number not in ((_TERM, _INT) if kind is None else kind.ends_on):
        return
    seconds = runtime.terminate(world, process.ref)
    if seconds is not None:
        leaving = processes(world)[process.ref].leaving
        code = leaving[1] if leaving is not None else 143
        world.after(seconds, "userland.exit", process.ref, code)
