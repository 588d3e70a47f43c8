"""Shell text as a tree: lists, pipelines, loops, conditions, words with their quoting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sregym_cluster_embedded.userland.shell.lexing import (
    Redirection,
    ShellSyntaxError,
    Token,
    Word,
    tokens_of,
)


@dataclass(frozen=True)
class Simple:
    """Assignments, a command with arguments, redirections; the line where it begins, from 1."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    line: int = 1


@dataclass(frozen=True)
class Pipeline:
    """Commands joined by `|`, perhaps negated."""

    commands: tuple[Node, ...]
    negated: bool


@dataclass(frozen=True)
class Sequence:
    """Commands with the operator before each: `;`, `&&`, `||` or `&`."""

    parts: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Condition:
    """if, elif, else."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True)
class Loop:
    """while or until."""

    test: Node
    body: Node
    until: bool


@dataclass(frozen=True)
class Each:
    """for NAME in WORDS."""

    name: str
    words: tuple[Word, ...]
    body: Node


@dataclass(frozen=True)
class Group:
    """A compound with redirections of its own; `subshell` keeps its variables to itself."""

    body: Node
    redirections: tuple[Redirection, ...]
    subshell: bool


@dataclass(frozen=True)
class Case:
    """case WORD in PATTERNS) ... esac."""

    word: Word
    branches: tuple[tuple[tuple[Word, ...], Node], ...]


@dataclass(frozen=True)
class Function:
    """NAME() { ... }."""

    name: str
    body: Node


@dataclass(frozen=True)
class Background:
    """A command with `&` behind it."""

    body: Node


Node: TypeAlias = (
    Simple | Pipeline | Sequence | Condition | Loop | Each | Group | Case | Function | Background
)


@lru_cache(maxsize=512)
def parse(text: str) -> Node:
    """The tree of a script; nobody changes it.

    Raises:
        ShellSyntaxError: It is none.
    """
    return _Parser(*tokens_of(text)).script()


class _Parser:
    def __init__(self, tokens: list[Token], lines: list[int]) -> None:
        self.tokens = tokens
        self.lines = lines
        self.at = 0

    def peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def plain(self) -> str:
        token = self.peek()
        if isinstance(token, Word) and len(token.pieces) == 1 and token.pieces[0][1] == "plain":
            return token.pieces[0][0]
        return ""

    def script(self) -> Node:
        node = self.sequence()
        if (token := self.peek()) is not None:
            shown = token if isinstance(token, str) else self.plain() or "word"
            raise ShellSyntaxError(f'syntax error: unexpected "{shown}"')
        return node

    def sequence(self) -> Node:
        parts: list[tuple[str, Node]] = []
        operator = ";"
        while True:
            self.skip_lines()
            if self.peek() in (None, ")", ";;") or self.plain() in _RESERVED:
                break
            if self.peek() == ";":
                raise ShellSyntaxError('syntax error: unexpected ";"')
            parts.append((operator, self.pipeline()))
            token = self.peek()
            if token == "&":
                parts[-1] = (operator, Background(parts[-1][1]))
            if token in ("&&", "||", ";", "&", "\n"):
                self.at += 1
                operator = token if token in ("&&", "||") else ";"
                if operator != ";":
                    while self.peek() == "\n":
                        self.at += 1
            else:
                break
        return Sequence(tuple(parts))

    def pipeline(self) -> Node:
        negated = self.plain() == "!"
        self.at += negated
        commands = [self.command()]
        while self.peek() == "|":
            self.at += 1
            while self.peek() == "\n":
                self.at += 1
            commands.append(self.command())
        if len(commands) == 1 and not negated:
            return commands[0]
        return Pipeline(tuple(commands), negated)

    def command(self) -> Node:
        if self.peek() == "(":
            self.at += 1
            body = self.sequence()
            self.expect_operator(")")
            return Group(body, self.redirections(), True)
        word = self.plain()
        compound = {
            "if": self.condition, "while": self.loop, "until": self.loop,
            "for": self.each, "{": self.braces, "case": self.case, "[[": self.bash_test,
        }.get(word)  # fmt: skip
        if compound is None:
            return self.function() or self.simple()
        body = compound()
        redirections = self.redirections()
        return Group(body, redirections, False) if redirections else body

    def list_before(self) -> Node:
        """The commands up to a reserved word; there has to be one at least."""
        found = self.sequence()
        if not (isinstance(found, Sequence) and found.parts) and self.peek() is not None:
            raise ShellSyntaxError(f'syntax error: unexpected "{self.plain() or self.peek()}"')
        return found

    def braces(self) -> Node:
        self.expect("{")
        body = self.list_before()
        self.expect("}")
        return body

    def case(self) -> Node:
        self.expect("case")
        word = self.peek()
        if not isinstance(word, Word):
            raise ShellSyntaxError("syntax error: unexpected newline (expecting word)")
        self.at += 1
        self.skip_lines()
        self.expect("in")
        branches: list[tuple[tuple[Word, ...], Node]] = []
        while True:
            self.skip_lines()
            if self.plain() == "esac":
                break
            if self.peek() == "(":
                self.at += 1
            patterns: list[Word] = []
            while isinstance(token := self.peek(), Word):
                patterns.append(token)
                self.at += 1
                if self.peek() == "|":
                    self.at += 1
            self.expect_operator(")")
            branches.append((tuple(patterns), self.sequence()))
            if self.peek() == ";;":
                self.at += 1
        self.expect("esac")
        return Case(word, tuple(branches))

    def skip_lines(self) -> None:
        while self.peek() == "\n":
            self.at += 1

    def function(self) -> Node | None:
        """`NAME() BODY` or `function NAME BODY`; None when it is something else."""
        name, following = self.plain(), self.tokens[self.at + 1 : self.at + 3]
        if name == "function" and following and isinstance(following[0], Word):
            self.at += 1
            name = self.plain()
            self.at += 3 if self.tokens[self.at + 1 : self.at + 3] == ["(", ")"] else 1
        elif name and following == ["(", ")"]:
            self.at += 3
        else:
            return None
        self.skip_lines()
        return Function(name, self.command())

    def bash_test(self) -> Node:
        """`[[ ... ]]`: operators in it are words of the test."""
        words: list[Word] = []
        while (token := self.peek()) is not None:
            self.at += 1
            if isinstance(token, Redirection):
                words.append(Word(((token.operator, "single"),)))
                words.append(token.target)
            elif isinstance(token, Word):
                words.append(token)
                if token == Word((("]]", "plain"),)):
                    break
            else:
                words.append(Word(((token, "single"),)))
        return Simple((), tuple(words), ())

    def condition(self) -> Node:
        branches = []
        self.expect("if")
        while True:
            test = self.list_before()
            self.expect("then")
            branches.append((test, self.list_before()))
            if self.plain() != "elif":
                break
            self.at += 1
        otherwise = None
        if self.plain() == "else":
            self.at += 1
            otherwise = self.list_before()
        self.expect("fi")
        return Condition(tuple(branches), otherwise)

    def loop(self) -> Node:
        until = self.plain() == "until"
        self.at += 1
        test = self.list_before()
        self.expect("do")
        body = self.list_before()
        self.expect("done")
        return Loop(test, body, until)

    def each(self) -> Node:
        self.expect("for")
        name = self.plain()
        self.at += 1
        words: list[Word] = []
        if self.plain() == "in":
            self.at += 1
            while isinstance(token := self.peek(), Word):
                words.append(token)
                self.at += 1
        else:
            words.append(Word((("$@", "double"),)))
        while self.peek() in (";", "\n"):
            self.at += 1
        self.expect("do")
        body = self.list_before()
        self.expect("done")
        return Each(name, tuple(words), body)

    def redirections(self) -> tuple[Redirection, ...]:
        found = []
        while isinstance(token := self.peek(), Redirection):
            found.append(token)
            self.at += 1
        return tuple(found)

    def simple(self) -> Node:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        line = self.lines[self.at] if self.at < len(self.lines) else 1
        while (token := self.peek()) is not None and not isinstance(token, str):
            if isinstance(token, Redirection):
                redirections.append(token)
            elif not words and (found := _assignment(token)) is not None:
                assignments.append(found)
            else:
                words.append(token)
            self.at += 1
        if not (assignments or words or redirections):
            shown = "newline" if token in (None, "\n") else token
            raise ShellSyntaxError(f'syntax error: unexpected "{shown}"')
        return Simple(tuple(assignments), tuple(words), tuple(redirections), line)

    def expect(self, word: str) -> None:
        if self.plain() != word:
            raise self.unexpected(word)
        self.at += 1

    def unexpected(self, wanted: str) -> ShellSyntaxError:
        token = self.peek()
        shown = "end of file"
        if token is not None:
            text = "newline" if token == "\n" else token if isinstance(token, str) else self.plain()
            shown = "redirection" if isinstance(token, Redirection) else f'"{text}"'
            shown = shown if shown != '""' else "word"
        return ShellSyntaxError(f'syntax error: unexpected {shown} (expecting "{wanted}")')

    def expect_operator(self, operator: str) -> None:
        if self.peek() != operator:
            raise self.unexpected(operator)
        self.at += 1


# Reserved words with which no command begins.
_RESERVED = ("}", "do", "done", "elif", "else", "esac", "fi", "then")


def _assignment(word: Word) -> tuple[str, Word] | None:
    if not word.pieces or word.pieces[0][1] != "plain":
        return None
    name, equals, rest = word.pieces[0][0].partition("=")
    if not equals or not name.isidentifier():
        return None
    pieces = (((rest, "plain"),) if rest else ()) + word.pieces[1:]
    return name, Word(pieces)
