"""Starting commands for a shell: executables of the image, nested shells, waiting, listening."""

from __future__ import annotations

import re
import signal
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NoReturn, cast
from weakref import ref

from sregym_regex import budget as budgets

from sregym_cluster_embedded.userland.executables import NotExecutableError, find_executable
from sregym_cluster_embedded.userland.life import open_port
from sregym_cluster_embedded.userland.process import listener_at
from sregym_cluster_embedded.userland.shell.commands import COMMANDS, command_of
from sregym_cluster_embedded.userland.shell.computing import work_of
from sregym_cluster_embedded.userland.shell.control import BecomeProgram, Exit, Suspended
from sregym_cluster_embedded.userland.shell.errno_messages import not_found, shell_name
from sregym_cluster_embedded.userland.shell.invocation import SHELLS, invocation, no_script
from sregym_cluster_embedded.userland.shell.memory import charging, exhaust
from sregym_cluster_embedded.userland.shell.options import tail_follows
from sregym_cluster_embedded.userland.shell.pacing import FOR_EVER_S, Pacing
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.signalling import ended
from sregym_cluster_embedded.userland.shell.sockets import served_port
from sregym_cluster_embedded.userland.shell.usage_errors import refusal
from sregym_cluster_embedded.userland.shell.versions import (
    busybox_text,
    version_output,
    version_text,
)
from sregym_cluster_embedded.userland.toolsets import tool_names, tool_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.computing import Work
    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
    from sregym_cluster_embedded.userland.shell.session import Command

_KILLED = 128 + signal.SIGKILL
# What it takes to find and start a command, and to carry out one of the shell's own.
_COMMAND_STEPS, _SHELL_STEPS = 75, 40
_FIRST_FREE_PORT = 1024
_SLEEP_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Execution(Pacing):
    """Runs single commands in a session; arguments are those of `Pacing`."""

    def __init__(self, session: Session, journal: tuple[Any, ...] | None = None) -> None:
        super().__init__(session, journal)
        self._depth = 0  # how many parts of the script surround the present one
        self._cut = False  # whether who reads what is written ends before there is no more
        self.stop_on_error = False
        session.runner = _weakly(self)
        session.files.charge = charging(session)

    def inner(self, *, within: bool = False) -> Interpreter:
        """A shell within this one."""
        raise NotImplementedError

    def script(self, text: str, stdin: str, *, stop_on_error: bool = False) -> Output:
        """Run a script to its end."""
        raise NotImplementedError

    def simple_words(self, words: list[str], stdin: str) -> Output:
        """Run a command that has been taken apart into words."""
        raise NotImplementedError

    def with_values(self, values: dict[str, str], words: list[str], stdin: str) -> Output:
        """Run a command with variables that only it sees."""
        session = self.session
        if not values:
            return self.simple_words(words, stdin)
        kept = {name: session.environment.get(name) for name in values}
        hidden = session.unexported & set(values)
        session.environment.update(values)
        session.unexported -= set(values)
        self._depth += 1
        try:
            return self.simple_words(words, stdin)
        finally:
            self._depth -= 1
            # What the command itself has set (`IFS=: read a b`) stays.
            for name, before in kept.items():
                if before is None:
                    session.environment.pop(name, None)
                else:
                    session.environment[name] = before
            session.unexported |= hidden

    def nested(self, words: list[str], stdin: str) -> Output:
        """Run a command for another command: what xargs, timeout and find start."""
        if not words:
            return Output()
        if words[0] in ("echo", "printf", "test", "[", "true", "false", "kill", "pwd"):
            return self._bounded(COMMANDS[words[0]], words, stdin)
        return self.external(words, stdin)

    def external(self, words: list[str], stdin: str) -> Output:
        """Run an executable of the image."""
        session = self.session
        session.files.look_anew()
        try:
            path = find_executable(
                words[0], session.image, session.files, session.environment, session.working_dir
            )
        except NotExecutableError:
            return self._not_executable(words, stdin)
        if path in session.image.versions:
            return version_output(session, path, words)
        program = session.image.binaries.get(path)
        name, commands = path.rpartition("/")[2], session.runtime.commands
        if program is not None and (name not in commands or self._starts(program, words)):
            known = session.runtime.known(session.process).programs.get(program)
            if (about := version_text(session.runtime, known, words)) is not None:
                return Output(0, about)
            if self._journal is not None:
                raise BecomeProgram(path, tuple(words))
            return Output()
        if program is None and path not in tool_paths(session.image.tools):
            return self._script(path, words, stdin)
        if name == "busybox" and words[1:] in ([], ["--list"], ["--help"]):
            return busybox_text(session.flavour, tool_names(session.image.tools), words)
        if name == "busybox":
            return self.nested(words[1:], stdin)
        if name in SHELLS:
            return self.shell(words, stdin)
        if (refused := refusal(session, words)) is not None:
            return refused
        if name == "sleep":
            return self._sleep(words)
        if (port := served_port(name, words)) > 0:
            return self._serve(name, port, words)
        if (work := work_of(session, name, words)) is not None:
            return self._computed(work, words)
        if name == "timeout" and self.recording and not self._becomes(words):
            return self._timed_out(words, stdin)
        command = command_of(session, name)
        if command is None:
            return Output(127, "", not_found(session, words[0]))
        result = self._bounded(command, words, stdin)
        if name == "tail" and result.code == 0 and tail_follows(words):
            self.wait(None, tuple(words))
        return result

    def _starts(self, program: str, words: list[str]) -> bool:
        """Whether a main process becomes a server whose executable is a command besides."""
        runtime = self.session.runtime
        known = runtime.known(self.session.process).programs.get(program)
        return (
            self.recording
            and known is not None
            and not runtime.kinds.of(known.kind).is_query(words)
        )

    def _not_executable(self, words: list[str], stdin: str) -> Output:
        session = self.session
        path = session.path(words[0])
        inode = session.files.stat(path) if "/" in words[0] else None
        if inode is None:
            return Output(127, "", not_found(session, words[0]))
        if inode.kind == "file" and inode.mode & 0o111 and session.rights.may(inode, 1):
            return self._script(path, words, stdin)
        why = "Is a directory" if inode.kind == "folder" else "Permission denied"
        if session.shell != "bash":
            why = "Permission denied"
        return Output(126, "", f"{shell_name(session)}: {words[0]}: {why}\n")

    def _script(self, path: str, words: list[str], stdin: str) -> Output:
        """A script: its first line names the shell, or it is fed to this one."""
        session = self.session
        first = (session.files.read(path) or "").partition("\n")[0]
        named = first[2:].split() if first.startswith("#!") else []
        if named[:1] == ["/usr/bin/env"]:
            named = named[1:]
        shell = named[0] if named else "sh"
        if "/" in shell and shell not in tool_paths(session.image.tools):
            if session.shell == "bash":
                why = f"{shell}: bad interpreter: No such file or directory"
                return Output(127, "", f"{shell_name(session)}: {words[0]}: {why}\n")
            return Output(127, "", f"{shell_name(session)}: {words[0]}: not found\n")
        # What PATH has led to, an interpreter is told with its folder.
        script = words[0] if "/" in words[0] else path
        line = [shell, *named[1:2], script, *words[1:]]
        if shell.rpartition("/")[2] in SHELLS:
            return self.shell(line, stdin)
        result = self.external(line, stdin)
        if result.code == 127 and result.err == not_found(session, shell):
            about = f"can't execute '{shell}'" if session.busybox else f"'{shell}'"
            name = "env" if session.busybox else "/usr/bin/env"
            return Output(127, "", f"{name}: {about}: No such file or directory\n")
        return result

    def shell(self, words: list[str], stdin: str) -> Output:
        """Run a shell within this one."""
        session = self.session
        asked = invocation(words)
        if asked.lacks_command:
            where = ": 0" if session.flavour == "debian" and not words[0].endswith("bash") else ""
            why = "-c: option" if words[0].endswith("bash") else "-c"
            return Output(2, "", f"{words[0]}{where}: {why} requires an argument\n")
        if asked.unknown and session.busybox:
            return Output(2, "", f"{words[0]}: illegal option -{asked.unknown}\n")
        if asked.unknown:
            about = "Illegal option" if not words[0].endswith("bash") else "invalid option"
            where = ": 0" if not words[0].endswith("bash") else ""
            return Output(2, "", f"{words[0]}{where}: {about} -{asked.unknown}\n")
        text, own_input = stdin, ""
        if asked.command is not None:
            text, own_input = asked.command, stdin
        elif asked.file:
            found = session.files.read(session.path(asked.file))
            if found is None:
                return Output(*no_script(session, words[0], asked.file))
            text, own_input = found, stdin
        budgets.spend(_SHELL_STEPS + (len(session.environment) >> 4))
        kept = (
            dict(session.environment), session.working_dir, session.arguments,
            set(session.unexported), dict(session.functions), session.strict, session.runner,
            session.shell, session.script, session.options, session.readonly, session.at_line,
            dict(session.descriptors), session.pipefail, session.pid,
        )  # fmt: skip
        session.shell = words[0].rpartition("/")[2]
        session.script, session.at_line = asked.file, 1
        session.options, session.readonly = set(asked.options), set()
        session.strict = "u" in asked.options
        session.arguments = asked.arguments
        # Variables of this shell that are not exported do not reach the new one.
        for name in session.unexported:
            session.environment.pop(name, None)
        session.unexported, session.functions = set(), {}
        self._shell_variables(words[0])
        inner = self.inner()
        # A shell that is started by another one has a number of its own.
        session.pid += bool(self._depth)
        result = inner.script(text, own_input, stop_on_error=asked.strict)
        (
            session.environment, session.working_dir, session.arguments,
            session.unexported, session.functions, session.strict, session.runner,
            session.shell, session.script, session.options, session.readonly, session.at_line,
            session.descriptors, session.pipefail, session.pid,
        ) = kept  # fmt: skip
        if self._depth and inner.ended_by:
            return ended(session, words, result, inner.ended_by)
        return result

    def _shell_variables(self, name: str) -> None:
        """What a shell adds to its environment when it starts."""
        environment = self.session.environment
        shell = name.rpartition("/")[2]
        if shell != "dash" and not (shell == "sh" and self.session.flavour == "debian"):
            level = environment.get("SHLVL", "0")
            environment["SHLVL"] = str(int(level) + 1 if level.isdecimal() else 1)
        environment["PWD"] = self.session.working_dir
        if shell == "bash":
            environment["_"] = "/usr/bin/env"

    def _sleep(self, words: list[str]) -> Output:
        total = 0.0
        for word in words[1:]:
            found = re.fullmatch(r"(\d*\.?\d+)([smhd]?)", word)
            if found is None:
                if word in ("inf", "infinity"):
                    self.wait(None, tuple(words))
                    return Output()
                if self.session.busybox:
                    return Output(1, "", f"sleep: invalid number '{word}'\n")
                text = f"sleep: invalid time interval '{word}'\n"
                return Output(1, "", f"{text}Try 'sleep --help' for more information.\n")
            total += float(found.group(1)) * _SLEEP_UNITS.get(found.group(2), 1)
        if len(words) == 1:
            return Output(1, "", "sleep: missing operand\n")
        self.wait(total, tuple(words))
        return Output()

    def _serve(self, name: str, port: int, words: list[str]) -> Output:
        """Let a tool in the foreground listen: for ever as a main process, else until it is left."""
        session = self.session
        world, ref = session.world, session.process.ref
        if port < _FIRST_FREE_PORT and not session.rights.has("NET_BIND_SERVICE"):
            return Output(1, "", f"{name}: bind: Permission denied\n")
        if listener_at(world, ref.pod_uid, port) is not None:
            return Output(1, "", f"{name}: bind: Address already in use\n")
        if self._journal is not None and session.process.behaviour is None:
            open_port(world, ref, port, "tool")
        self.wait(None, tuple(words))
        return Output()

    def _waited(self, words: list[str]) -> Output:
        """`wait`, for all jobs or for one that there may not be."""
        session = self.session
        if words and words[0].isdecimal() and int(words[0]) != session.background:
            text = f"wait: pid {words[0]} is not a child of this shell\n"
            return Output(
                127, "", f"{shell_name(session)}: {text}" if session.shell == "bash" else ""
            )
        return session.jobs.wait(cast("Interpreter", self))

    def _computed(self, work: Work, words: list[str]) -> Output:
        """A command that keeps processors busy for a time, or for ever."""
        if self._cut:
            return work.said
        self.wait(work.seconds, tuple(words), work.threads, work.said)
        return work.said if work.seconds is not None else work.said._replace(code=_KILLED)

    def _becomes(self, words: list[str]) -> bool:
        """Whether a command line has the name of a program of the model in it."""
        named = {path.rpartition("/")[2] for path in self.session.image.binaries}
        return any(word.rpartition("/")[2] in named for word in words)

    def _timed_out(self, words: list[str], stdin: str) -> Output:
        """`timeout` where time passes between commands: how long it takes is known at its end."""
        assert self._journal is not None
        session = self.session
        slept_s, computed_s, runner = session.slept_s, session.computed_s, session.runner
        inner = self.inner()
        found = inner.external(words, stdin)
        took_s, worked_s = session.slept_s - slept_s, session.computed_s - computed_s
        session.slept_s, session.computed_s, session.runner = slept_s, computed_s, runner
        if took_s <= 0:
            return found
        seconds, session.endless = None if session.endless else took_s, False
        self._journal.append(tuple(found))
        raise Suspended(seconds, worked_s / took_s, found)

    def _bounded(self, command: Command, words: list[str], stdin: str) -> Output:
        """Run a command of ours; one that takes too much ends as the kernel would end it."""
        budget = budgets.present()
        try:
            budgets.spend(_COMMAND_STEPS)
            with nullcontext() if budget is None else budget.process():
                result = command(self.session, words, stdin)
            budgets.allocate(len(result.out))
            budgets.spend(len(result.out) >> 7)  # 128 characters take a step
        except budgets.OutOfStepsError:
            self.endless()
        except (budgets.OutOfMemoryError, MemoryError):
            if self.session.process.config.memory_limit_bytes is not None:
                exhaust(self.session)
            return self._ended(signal.SIGKILL)
        except RecursionError:
            return self._ended(signal.SIGSEGV)
        except (ValueError, ArithmeticError):
            # Numbers and patterns that were not thought of: the command gives up, not the world.
            return self._ended(signal.SIGABRT)
        return result

    def _ended(self, by: signal.Signals) -> Output:
        """A command that a signal has ended; a shell says so."""
        line = self.session.line
        shell = bool(line) and line[0].rpartition("/")[2] in SHELLS
        return Output(128 + by, "", f"{signal.strsignal(by)}\n" if shell else "")

    def endless(self) -> NoReturn:
        """A command computes for longer than anybody waits.

        Raises:
            Exit: What was written before is what there is.
            OutOfStepsError: It is a main process, or a job: it goes on.
        """
        if self._journal is not None:
            raise budgets.OutOfStepsError
        session = self.session
        if not session.endless:
            session.endless = True
            session.slept_s += FOR_EVER_S
            session.computed_s += FOR_EVER_S
        raise Exit(137, Output())

    def spend(self) -> None:
        """Count a command of the script; one that never ends is stopped, or goes on later."""
        if self.session.killed:
            raise Exit(137, Output(137))
        try:
            budgets.spend(_SHELL_STEPS)
        except budgets.OutOfStepsError:
            self.endless()


def _weakly(execution: Execution) -> Callable[[list[str], str], Output]:
    """What starts commands in a session, which must not keep itself alive, and its world with it."""
    own = ref(execution)

    def start(words: list[str], stdin: str) -> Output:
        alive = own()
        return Output(127) if alive is None else alive.nested(words, stdin)

    return start
