"""Carries out the tree of a shell script."""

from __future__ import annotations

import fnmatch
import re
from typing import Any

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.userland.executables import NotExecutableError, find_executable
from sregym_cluster_embedded.userland.life import open_port
from sregym_cluster_embedded.userland.process import listener_at
from sregym_cluster_embedded.userland.shell.builtins import BUILTINS
from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.shell.control import BecomeProgram, Exit, Leave, Suspended
from sregym_cluster_embedded.userland.shell.expansion import Expansion
from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.redirection import Redirector
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.syntax import (
    Condition,
    Each,
    Group,
    Loop,
    Node,
    Pipeline,
    Sequence,
    Simple,
    parse,
)

_SHELLS = ("sh", "ash", "bash", "dash")

# A main script that never waits: it spins, and goes on after so long.
_SPIN_S = 60.0


class Interpreter:
    """Runs scripts and commands in a session.

    Args:
        session: Where.
        journal: For a main process: what earlier runs recorded; None for everything else, where
            `sleep` only counts the time.
    """

    def __init__(self, session: Session, journal: tuple[Any, ...] | None = None) -> None:
        self.session = session
        self._journal = None if journal is None else list(journal)
        self._position = 0
        self._lines: list[LogLine] = []
        self.stop_on_error = False
        # How many pipes and redirections surround the present command of a main process.
        self._captured = 0

    def recorded(self) -> tuple[Any, ...]:
        """The journal as it stands now."""
        return tuple(self._journal or ())

    def written(self) -> tuple[LogLine, ...]:
        """What a main process wrote in this run, beyond what earlier runs wrote."""
        return tuple(self._lines)

    def emit(self, output: Output) -> None:
        """Let a main process write, once."""
        now = self.session.world.now
        for stream, text in (("stdout", output.out), ("stderr", output.err)):
            for line in text.splitlines():
                self._lines.append(LogLine(now, stream, line))

    def main(self, argv: list[str]) -> Output:
        """Run the command line of a main process."""
        name = argv[0].rpartition("/")[2]
        if name in _SHELLS and "-c" in argv:
            at = argv.index("-c")
            self.session.arguments = tuple(argv[at + 2 :]) or (argv[0],)
            try:
                parse(argv[at + 1])
            except ShellSyntaxError as error:
                result = Output(2, "", f"{argv[0]}: {error}\n")
                self.emit(result)
                return result
            return self.script(argv[at + 1], "")
        return self._emitted(len(self._journal or ()), self.simple_words(argv, ""))

    def script(self, text: str, stdin: str, *, stop_on_error: bool = False) -> Output:
        """Run a script to its end."""
        self.stop_on_error = stop_on_error
        try:
            tree = parse(text)
            return self.run(tree, stdin)
        except ShellSyntaxError as error:
            return Output(2, "", f"{self.session.arguments[0]}: {error}\n")
        except Exit as stop:
            return Output(stop.code, stop.output.out, stop.output.err)

    def execute(self, argv: list[str], stdin: str) -> Output:
        """Run one command line without a shell around it."""
        try:
            return self.simple_words(argv, stdin)
        except Exit as stop:
            return Output(stop.code, stop.output.out, stop.output.err)

    def run(self, node: Node, stdin: str) -> Output:
        """Carry out a node."""
        if isinstance(node, Sequence):
            return self._sequence(node, stdin)
        if isinstance(node, Simple):
            return self._simple(node, stdin)
        if isinstance(node, Pipeline):
            return self._pipeline(node, stdin)
        if isinstance(node, Condition):
            return self._condition(node, stdin)
        if isinstance(node, Loop | Each):
            return self._loop(node, stdin)
        return self._group(node, stdin)

    def _sequence(self, node: Sequence, stdin: str) -> Output:
        out, err, code = "", "", 0
        for index, (operator, part) in enumerate(node.parts):
            if (operator == "&&" and code != 0) or (operator == "||" and code == 0):
                continue
            try:
                result = self.run(part, stdin)
            except Exit as stop:
                joined = Output(stop.code, out + stop.output.out, err + stop.output.err)
                raise Exit(stop.code, joined) from None
            except Leave as leave:
                joined = Output(0, out + leave.output.out, err + leave.output.err)
                raise Leave(leave.word, joined) from None
            code = self.session.last = result.code
            out, err = out + result.out, err + result.err
            following = node.parts[index + 1][0] if index + 1 < len(node.parts) else ";"
            if code != 0 and self.stop_on_error and following == ";" and operator == ";":
                raise Exit(code, Output(code, out, err))
        return Output(code, out, err)

    def _pipeline(self, node: Pipeline, stdin: str) -> Output:
        result, err, before = Output(0, stdin), "", len(self._journal or ())
        self._captured += 1
        try:
            for command in node.commands:
                result = self.run(command, result.out)
                err += result.err
        finally:
            self._captured -= 1
        code = int(result.code == 0) if node.negated else result.code
        return self._emitted(before, Output(code, result.out, err))

    def _condition(self, node: Condition, stdin: str) -> Output:
        out, err = "", ""
        for test, body in node.branches:
            result = self._quietly(test, stdin)
            out, err = out + result.out, err + result.err
            if result.code == 0:
                return _joined(out, err, self.run(body, stdin))
        if node.otherwise is not None:
            return _joined(out, err, self.run(node.otherwise, stdin))
        return Output(0, out, err)

    def _quietly(self, test: Node, stdin: str) -> Output:
        kept, self.stop_on_error = self.stop_on_error, False
        result = self.run(test, stdin)
        self.stop_on_error = kept
        return result

    def _loop(self, node: Loop | Each, stdin: str) -> Output:
        out, err, code = "", "", 0
        words = iter(self._words(node.words) if isinstance(node, Each) else ())
        while True:
            self._spend()
            if isinstance(node, Each):
                word = next(words, None)
                if word is None:
                    break
                self.session.environment[node.name] = word
            else:
                result = self._quietly(node.test, stdin)
                out, err = out + result.out, err + result.err
                if (result.code == 0) == node.until:
                    break
            try:
                result = self.run(node.body, stdin)
            except Leave as leave:
                out, err = out + leave.output.out, err + leave.output.err
                if leave.word == "break":
                    break
                continue
            code, out, err = result.code, out + result.out, err + result.err
        return Output(code, out, err)

    def _group(self, node: Group, stdin: str) -> Output:
        kept = (dict(self.session.environment), self.session.working_dir)
        stdin, error = self._redirector().input(node.redirections, stdin)
        if error:
            return Output(1, "", error)
        before, caught = len(self._journal or ()), int(bool(node.redirections))
        self._captured += caught
        try:
            result = self.run(node.body, stdin)
        except Exit as stop:
            if not node.subshell:
                raise
            result = Output(stop.code, stop.output.out, stop.output.err)
        finally:
            self._captured -= caught
        if node.subshell:
            self.session.environment, self.session.working_dir = kept
        result = self._redirector().output(node.redirections, result)
        return self._emitted(before, result) if caught else result

    def _simple(self, node: Simple, stdin: str) -> Output:
        self._spend()
        session = self.session
        words = self._words(node.words)
        values = {name: " ".join(self._words((word,))) for name, word in node.assignments}
        if not words:
            session.environment.update(values)
            return self._redirector().output(node.redirections, Output())
        stdin, error = self._redirector().input(node.redirections, stdin)
        if error:
            return Output(1, "", error)
        before = len(self._journal or ())
        kept = dict(session.environment) if values else None
        session.environment.update(values)
        try:
            result = self.simple_words(words, stdin)
        finally:
            if kept is not None:
                session.environment = kept
        return self._emitted(before, self._redirector().output(node.redirections, result))

    def _emitted(self, before: int, result: Output) -> Output:
        """Let a main process write what a command gave, unless an earlier run has written it."""
        if self._journal is not None and not self._captured and len(self._journal) > before:
            self.emit(result)
        return result

    def simple_words(self, words: list[str], stdin: str) -> Output:
        """Run a command that has been taken apart into words."""
        name, arguments = words[0], words[1:]
        if name in BUILTINS:
            return BUILTINS[name](self, arguments, stdin)
        if name in (":", "true"):
            return Output()
        if name == "[" or name == "test":
            return COMMANDS["test"](self.session, words, stdin)
        if self._journal is None:
            return self._external(words, stdin)
        if self._position < len(self._journal):
            self._position += 1
            return Output(*self._journal[self._position - 1])
        output = self._external(words, stdin)
        self._journal.append(tuple(output))
        self._position += 1
        return output

    def _external(self, words: list[str], stdin: str) -> Output:
        session = self.session
        shell = session.arguments[0].rpartition("/")[2]
        try:
            path = find_executable(
                words[0], session.image, session.files, session.environment, session.working_dir
            )
        except NotExecutableError as error:
            if session.files.read(session.path(words[0])) is not None and "/" in words[0]:
                return Output(126, "", f"{shell}: 1: {words[0]}: Permission denied\n")
            missing = "No such file or directory" if "/" in words[0] else "not found"
            del error
            return Output(127, "", f"{shell}: {words[0]}: {missing}\n")
        program = session.image.binaries.get(path)
        name = path.rpartition("/")[2]
        if program is not None and name not in COMMANDS:
            if self._journal is not None:
                raise BecomeProgram(path, tuple(words))
            return Output()
        if name in _SHELLS:
            return self._shell(words, stdin)
        if name == "sleep":
            return self._sleep(words)
        if self._journal is not None and (port := _served_port(name, words)):
            return self._serve(name, port)
        command = COMMANDS.get(name)
        if command is None:
            return Output(127, "", f"{shell}: {words[0]}: not found\n")
        if self._journal is not None and name == "tail" and "-f" in words:
            self._wait(None)
        return command(session, words, stdin)

    def _shell(self, words: list[str], stdin: str) -> Output:
        session = self.session
        text = stdin
        arguments: tuple[str, ...] = (words[0],)
        if "-c" in words[1:]:
            at = words.index("-c")
            text, arguments = words[at + 1], tuple(words[at + 2 :]) or (words[0],)
        elif files := [word for word in words[1:] if not word.startswith("-")]:
            found = session.files.read(session.path(files[0]))
            if found is None:
                error = f"{words[0]}: {files[0]}: No such file or directory\n"
                return Output(127, "", error)
            text, arguments = found, tuple(files)
        kept = (dict(session.environment), session.working_dir, session.arguments)
        session.arguments = arguments
        result = Interpreter(session).script(text, stdin, stop_on_error="-e" in words)
        session.environment, session.working_dir, session.arguments = kept
        return result

    def _sleep(self, words: list[str]) -> Output:
        units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
        total = 0.0
        for word in words[1:]:
            found = re.fullmatch(r"(\d*\.?\d+)([smhd]?)", word)
            if found is None:
                if word in ("inf", "infinity"):
                    self._wait(None)
                    return Output()
                return Output(1, "", f"sleep: invalid number '{word}'\n")
            total += float(found.group(1)) * units.get(found.group(2), 1)
        self._wait(total)
        return Output()

    def _serve(self, name: str, port: int) -> Output:
        """Let a tool in the foreground of a main process listen for ever."""
        world, ref = self.session.world, self.session.process.ref
        if listener_at(world, ref.pod_uid, port) is not None:
            return Output(1, "", f"{name}: bind: Address already in use\n")
        open_port(world, ref, port, "tool")
        self._wait(None)
        return Output()

    def _wait(self, seconds: float | None) -> None:
        if self._journal is None:
            self.session.slept_s += seconds or 0.0
            return
        self._journal.append((0, "", ""))
        raise Suspended(seconds)

    def _spend(self) -> None:
        self.session.budget[0] -= 1
        if self.session.budget[0] < 0:
            if self._journal is not None:
                raise Suspended(_SPIN_S)
            raise Exit(137, Output())

    def _redirector(self) -> Redirector:
        return Redirector(self.session, Expansion(self.session, self._substitute))

    def _words(self, words: Any) -> list[str]:
        expansion = Expansion(self.session, self._substitute)
        found: list[str] = []
        for word in words:
            for text, bare in expansion.fields(word):
                found.extend(
                    self._globbed(text) if bare and any(c in text for c in "*?[") else [text]
                )
        return found

    def _globbed(self, pattern: str) -> list[str]:
        folder, slash, last = pattern.rpartition("/")
        names = (
            self.session.files.listing(self.session.path(folder or ("/" if slash else "."))) or []
        )
        hits = [n for n in names if fnmatch.fnmatchcase(n, last) and not n.startswith(".")]
        return [f"{folder}{slash}{name}" for name in hits] or [pattern]

    def _substitute(self, text: str) -> str:
        kept = dict(self.session.environment), self.session.working_dir
        result = Interpreter(self.session).script(text, "")
        self.session.environment, self.session.working_dir = kept
        self.session.last = result.code
        return result.out.rstrip("\n")


def _joined(out: str, err: str, result: Output) -> Output:
    return Output(result.code, out + result.out, err + result.err)


def _served_port(name: str, words: list[str]) -> int:
    """The port that `nc -l` or `httpd -f` would serve; 0 when it is none of them."""
    letters = "".join(word for word in words[1:] if word.startswith("-"))
    if (name, "l" in letters) != ("nc", True) and (name, "f" in letters) != ("httpd", True):
        return 0
    numbers = [word for word in words[1:] if word.isdecimal()]
    return int(numbers[0]) if numbers else 0
