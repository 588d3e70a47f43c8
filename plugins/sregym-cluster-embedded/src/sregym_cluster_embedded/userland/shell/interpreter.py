"""Carries out the tree of a shell script."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.shell.assigning import assign
from sregym_cluster_embedded.userland.shell.bash_builtins import BASH_COMMANDS
from sregym_cluster_embedded.userland.shell.bash_flow import BashFlow
from sregym_cluster_embedded.userland.shell.braces import braced
from sregym_cluster_embedded.userland.shell.builtins import BUILTINS
from sregym_cluster_embedded.userland.shell.checkpoints import restored
from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.shell.control import Exit, Leave, Suspended
from sregym_cluster_embedded.userland.shell.errno_messages import (
    not_found,
    shell_name,
    syntax_error,
    trace,
)
from sregym_cluster_embedded.userland.shell.expansion import BadSubstitutionError, Expansion
from sregym_cluster_embedded.userland.shell.flow import rest_of_choice
from sregym_cluster_embedded.userland.shell.globbing import globbed
from sregym_cluster_embedded.userland.shell.invocation import main_script, shell_that_reads
from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.readers import READ_IN, reads
from sregym_cluster_embedded.userland.shell.redirection import Redirector
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.signalling import to_itself
from sregym_cluster_embedded.userland.shell.syntax import parse
from sregym_cluster_embedded.userland.shell.tree import (
    Background,
    Calculation,
    Called,
    Case,
    Condition,
    Counting,
    Each,
    Group,
    Loop,
    Node,
    Pipeline,
    Sequence,
    Simple,
    StartedLoop,
    Test,
    Timed,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint

# What Debian's `sh` has no such command for.
_OF_BASH = frozenset(("[[", "declare", "disown", "let", "source", "typeset", *BASH_COMMANDS))


# What a word of a command takes, besides its text.
_WORD_STEPS, _WORD_BYTES = 5, 80


class Interpreter(BashFlow):
    """Runs scripts and commands in a session.

    Args:
        session: Where.
        journal: See `Execution`.
    """

    def __init__(self, session: Session, journal: tuple[Any, ...] | None = None) -> None:
        super().__init__(session, journal)
        self.at_exit = ""
        self._substituted = False  # whether a command gave a part of the present words
        self.within = False  # whether it is a part of another shell, with which it ends
        self.ended_by = 0  # the signal that has ended it
        self.option_place = 1  # where in its word `getopts` is

    def inner(self, *, within: bool = False) -> Interpreter:
        """A shell within this one, for which no time passes between commands."""
        shell = Interpreter(self.session)
        shell.within = within
        return shell

    def main(self, argv: list[str]) -> Output:
        """Run the command line of a main process."""
        asked, text = main_script(self.session, argv)
        if text is None:
            try:
                return self._emitted(len(self._journal or ()), self.execute(argv, ""))
            except Suspended as wait:
                self.emit(wait.said or Output())
                raise
        self.session.arguments = asked.arguments
        self.session.shell = shell_that_reads(argv, text)
        self.session.options, self.session.strict = set(asked.options), "u" in asked.options
        try:
            self.parsed(text)
        except ShellSyntaxError as error:
            result = Output(2, "", syntax_error(self.session, error))
            self.emit(result)
            return result
        return self.script(text, "", stop_on_error=asked.strict)

    def script(self, text: str, stdin: str, *, stop_on_error: bool = False) -> Output:
        """Run a script to its end."""
        self.stop_on_error = stop_on_error
        try:
            tree = self.parsed(text)
            return self._to_its_end(tree, stdin)
        except ShellSyntaxError as error:
            self.session.at_line = text.count("\n") + (0 if text.endswith("\n") else 1)
            if self.session.shell == "bash" and "end of file" in str(error):
                self.session.at_line += 1
            words = syntax_error(self.session, error)
            if self.session.shell == "bash" and "near unexpected" in words and "\n" not in text:
                head = words.partition(": syntax")[0]
                words += f"{head}: `{text}'\n"
            return Output(2, "", words)

    def resumed(self, place: Checkpoint) -> Output:
        """Go on with a script where it was."""
        self.place = place
        restored(self, place)
        return self._to_its_end(place.rest, "")

    def _to_its_end(self, tree: Node, stdin: str) -> Output:
        try:
            result = self._feeding(stdin, lambda: self.run(tree, stdin))
        except Exit as stop:
            if stop.signal and self.within:
                raise
            result, self.ended_by = Output(stop.code, *stop.output[1:]), stop.signal
        except Leave as leave:
            result = Output(self.session.last, leave.output.out, leave.output.err)
        if self.at_exit and not self.ended_by:
            action, self.at_exit = self.at_exit, ""
            last = self.script(action, "")
            return Output(result.code, result.out + last.out, result.err + last.err)
        return result

    def parsed(self, text: str) -> Node:
        """The tree of a script, by the rules of the present shell."""
        spend(4 * len(text))
        return parse(text, bash=self.session.shell == "bash")

    def execute(self, argv: list[str], stdin: str) -> Output:
        """Run one command line without a shell around it."""
        try:
            return self.simple_words(argv, stdin)
        except Exit as stop:
            return Output(stop.code, stop.output.out, stop.output.err)

    def run(self, node: Node, stdin: str) -> Output:
        """Carry out a node."""
        self._depth += 1
        try:
            result = self._run(node, stdin)
        except BadSubstitutionError as error:
            text = f"{shell_name(self.session)}: {error}\n"
            code = 2 if self.session.shell != "bash" else 127 if error.unset else 1
            raise Exit(code, Output(code, "", text)) from None
        finally:
            self._depth -= 1
        said, self.session.complaints = self.session.complaints, ""
        return Output(result.code, result.out, said + result.err) if said else result

    def _run(self, node: Node, stdin: str) -> Output:
        if isinstance(node, Sequence):
            return self._sequence(node, stdin)
        if isinstance(node, Simple):
            return self._simple(node, stdin)
        if isinstance(node, Pipeline):
            return self._pipeline(node, stdin)
        if isinstance(node, Condition):
            return self._condition(node, stdin)
        if isinstance(node, Loop | Each | Counting):
            return self._loop(node, stdin)
        if isinstance(node, Group):
            return self._group(node, stdin)
        if isinstance(node, Case):
            return self._case(node, stdin)
        if isinstance(node, Background):
            return self._background(node)
        if isinstance(node, Calculation):
            return self._calculation(node)
        if isinstance(node, Test):
            return self._tested(node)
        if isinstance(node, StartedLoop):
            return self._begun(node, stdin)
        if isinstance(node, Called):
            return self._called(node, stdin)
        if isinstance(node, Timed):
            return self._timed(node, stdin)
        self.session.functions[node.name] = node.body
        return Output()

    def read_line(self, descriptor: int = 0) -> str | None:
        """The next line of the input of the compound command around, or of a file that is open.

        None at its end.
        """
        opened = self.session.descriptors.get(descriptor)
        if (
            opened is not None
            and opened.unread is not None
            and (descriptor or not self._unread[1:])
        ):
            line, newline, opened.unread = opened.unread.partition("\n")
            return line + newline or None
        if not self._unread or not self._unread[-1]:
            return None
        line, newline, self._unread[-1] = self._unread[-1].partition("\n")
        return line + newline

    def _background(self, node: Background) -> Output:
        if self._journal is not None and self._position < len(self._journal):
            self._position += 1
            return Output()
        result = self.session.jobs.start(self, node.body)
        if self._journal is not None:
            self._journal.append((0, "", ""))
            self._position += 1
            self.emit(result)
        return Output(0, result.out, result.err)

    def _group(self, node: Group, stdin: str) -> Output:
        session = self.session
        # Copying variables takes time as well; there may be very many.
        spend(len(session.environment) >> 4)
        kept = (dict(session.environment), session.working_dir, set(session.unexported))
        redirector = self._redirector()
        text, error = redirector.input(node.redirections, stdin)
        error = error or redirector.prepare(node.redirections)
        if error:
            return Output(1, "", error)
        before, caught = len(self._journal or ()), int(bool(node.redirections))
        self._captured += caught
        try:
            if text is stdin:
                # A shell of its own ends with what follows it; there must be nothing.
                goes_on = not (node.subshell and self._around)
                with self._within(rest_of_choice) if goes_on else nullcontext():
                    result = self.run(node.body, text)
            else:
                result = self._feeding(text, lambda: self.run(node.body, text))
        except Exit as stop:
            if not node.subshell or stop.signal:
                raise
            result = Output(stop.code, stop.output.out, stop.output.err)
        finally:
            self._captured -= caught
        if node.subshell:
            session.environment, session.working_dir, session.unexported = kept
        result = redirector.output(node.redirections, result)
        return self._emitted(before, result) if caught else result

    def _simple(self, node: Simple, stdin: str) -> Output:
        self.spend()
        session = self.session
        session.at_line = node.line
        if "n" in session.options:
            return Output()
        self._substituted = False
        words = self.words(node.words)
        values = self._values(node, alone=not words)
        if not words and not self._substituted:
            session.last = 0
        redirector = self._redirector()
        before = len(self._journal or ())
        replaying = self._journal is not None and self._position < before
        if self._unread:
            stdin = self._unread[-1]
        one_line = words[:1] == ["read"]
        text, error_text = redirector.input(node.redirections, stdin, line=one_line)
        if not error_text and not replaying:
            error_text = redirector.prepare(node.redirections)
        if error_text:
            return Output(2 if session.dash else 1, "", error_text)
        if not words:
            fresh = [name for name in values if name not in session.environment]
            for name, value in values.items():
                assign(session, name, value)
            if "a" not in session.options:
                session.unexported.update(fresh)
            traced = trace(session, values, words)
            return redirector.output(node.redirections, Output(session.last, "", traced))
        if self._unread and text is stdin and reads(words, session.runtime.consoles):
            self.takes_all(node)
        if words == ["exec"]:
            redirector.keep(node.redirections)
            return Output()
        traced = trace(session, values, words) if session.options else ""
        inner = words[0] in (*session.functions, *READ_IN)
        caught = int(inner and bool(node.redirections))
        if inner and not caught and self.recording and not self._captured and not replaying:
            self.emit(Output(0, "", traced))
        self._captured += caught
        try:
            if text is stdin:
                result = self.with_values(values, words, text)
            else:
                result = self._feeding(text, lambda: self.with_values(values, words, text))
        except Suspended as wait:
            if wait.said is not None and not self._captured:
                self.emit(redirector.output(node.redirections, wait.said))
                wait.said = None
            raise
        except Exit as stop:
            if words[0] != "exec":
                raise
            # What the shell has become writes where the shell did.
            last = redirector.output(node.redirections, stop.output)
            raise Exit(stop.code, self._emitted(before, last), stop.signal) from None
        finally:
            self._captured -= caught
        if traced:
            result = Output(result.code, result.out, traced + result.err)
        grown = self._journal is None or len(self._journal) > before
        if replaying and not grown and node.redirections:
            return Output(result.code)
        result = redirector.output(node.redirections, result)
        return result if inner and not caught else self._emitted(before, result)

    def _values(self, node: Simple, *, alone: bool) -> dict[str, str]:
        """What is assigned before a command; bash has done so already where there is none."""
        session = self.session
        if session.shell != "bash" or not alone:
            expansion = Expansion(session, self._substitute)
            return {name: expansion.joined(word) for name, word in node.assignments}
        for name, word in node.assignments:
            self.put(name, word)
        known = session.environment if session.options else {}
        return {name: known[name] for name, _ in node.assignments if name in known}

    def simple_words(self, words: list[str], stdin: str) -> Output:
        """Run a command that has been taken apart into words."""
        name, arguments = words[0], words[1:]
        if name in self.session.functions:
            return self.call(name, arguments, stdin)
        bash = self.session.shell == "bash"
        if (name in _OF_BASH and self.session.dash) or (name in BASH_COMMANDS and not bash):
            return Output(127, "", not_found(self.session, name))
        if name in BUILTINS:
            return BUILTINS[name](self, arguments, stdin)
        if name in (":", "true"):
            return Output()
        if name in ("[", "test", "[["):
            return self.once(lambda: self._bounded(COMMANDS["test"], words, stdin))
        result = self.once(lambda: self._started(words, stdin))
        number = to_itself(self.session, words) if name == "kill" else 0
        return self.obeyed(number, result) if number else result

    def _started(self, words: list[str], stdin: str) -> Output:
        if words[0] == "wait":
            return self._waited(words[1:])
        if words[0] in ("echo", "printf", "kill", "pwd"):
            # Builtins of every shell: they need no executable.
            return self._bounded(COMMANDS[words[0]], words, stdin)
        return self.external(words, stdin)

    def _redirector(self) -> Redirector:
        return Redirector(self.session, Expansion(self.session, self._substitute))

    def words(self, words: Any) -> list[str]:
        """Words as a command gets them: expanded, with globs replaced."""
        expansion = Expansion(self.session, self._substitute)
        found: list[str] = []
        if self.session.shell == "bash":
            words = [each for word in words for each in braced(word)]
        for word in words:
            if any(how == "array" for _, how in word.pieces):
                found.append(self.declared(word, found))
                continue
            for text, pattern in expansion.fields(word):
                spend(_WORD_STEPS)
                allocate(_WORD_BYTES + len(text))
                globs = pattern and "f" not in self.session.options
                paths = globbed(self.session, pattern) if globs else []
                if not paths and globs and "nullglob" in self.session.options:
                    continue
                found.extend(paths or [text])
        return found

    def _substitute(self, text: str, *, raw: bool = False) -> str:
        session = self.session
        spend(len(session.environment) >> 4)
        kept = (
            dict(session.environment),
            session.working_dir,
            set(session.unexported),
            session.runner,
        )
        result = self.once(lambda: self.inner(within=True).script(text, ""))
        session.environment, session.working_dir, session.unexported, session.runner = kept
        session.last = result.code
        self._substituted = True
        session.complaints += result.err
        return result.out if raw else result.out.rstrip("\n")
