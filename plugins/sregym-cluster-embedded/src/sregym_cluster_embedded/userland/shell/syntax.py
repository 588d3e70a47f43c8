"""Shell text as a tree: lists, pipelines, loops, conditions, words with their quoting."""

from __future__ import annotations

import re
from functools import lru_cache

from sregym_cluster_embedded.userland.shell.lexing import (
    Redirection,
    ShellSyntaxError,
    Token,
    Word,
    tokens_of,
)
from sregym_cluster_embedded.userland.shell.tree import (
    Background,
    Calculation,
    Case,
    Condition,
    Counting,
    Each,
    Function,
    Group,
    Loop,
    Node,
    Pipeline,
    Sequence,
    Simple,
    Test,
    Timed,
)


@lru_cache(maxsize=512)
def parse(text: str, *, bash: bool = False) -> Node:
    """The tree of a script; immutable.

    Args:
        text: The script.
        bash: Whether it may use what only bash knows: arrays, `((`, `<(` and so on.

    Raises:
        ShellSyntaxError: It is none.
    """
    return _Parser(*tokens_of(text, bash=bash), bash=bash).script()


class _Parser:
    def __init__(self, tokens: list[Token], lines: list[int], *, bash: bool) -> None:
        self.bash = bash
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
            if self.peek() in (None, ")", *_BRANCH_ENDS) or self.plain() in _RESERVED:
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
        if self.bash and self.plain() == "time":
            self.at += 1
            if self.plain() == "-p":
                self.at += 1
            empty = self.peek() in (None, ";", "\n", ")")
            return Timed(Sequence(()) if empty else self.pipeline())
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
        if (inner := self.calculation()) is not None:
            line = self.lines[self.at - 1]
            found = Calculation(inner, line)
            after = self.redirections()
            return Group(found, after, False) if after else found
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

    def calculation(self) -> str | None:
        """What stands in `((` and `))`; None when nothing of the kind does."""
        token = self.peek()
        if isinstance(token, Word) and token.pieces and token.pieces[0][1] == "arithmetic":
            self.at += 1
            return token.pieces[0][0]
        return None

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
        branches: list[tuple[tuple[Word, ...], Node, str]] = []
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
            body = self.sequence()
            end = self.peek()
            branches.append((tuple(patterns), body, end if isinstance(end, str) else ""))
            if end in _BRANCH_ENDS:
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
        line = self.lines[self.at]
        while (token := self.peek()) is not None:
            self.at += 1
            if token == "\n":
                continue
            if isinstance(token, Redirection):
                words.append(Word(((token.operator, "single"),)))
                words.append(token.target)
            elif isinstance(token, Word):
                words.append(token)
                if token == Word((("]]", "plain"),)):
                    break
            else:
                words.append(Word(((token, "single"),)))
        if self.bash:
            if not words or words[-1] != Word((("]]", "plain"),)):
                raise ShellSyntaxError("syntax error: unexpected end of file")
            return Test(tuple(words[1:-1]), line)
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
        if (inner := self.calculation()) is not None:
            return self.counting(inner)
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

    def counting(self, inner: str) -> Node:
        """`for ((a; b; c))`, and what it repeats."""
        start, test, step = (*inner.split(";"), "", "")[:3]
        while self.peek() in (";", "\n"):
            self.at += 1
        if self.plain() == "{":
            return Counting(start, test, step, self.braces())
        self.expect("do")
        body = self.list_before()
        self.expect("done")
        return Counting(start, test, step, body)

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
            elif not words and (found := assignment(token, bash=self.bash)) is not None:
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


# What ends a branch of `case`; the lexer knows the latter two in bash only.
_BRANCH_ENDS = (";;", ";&", ";;&")
_TARGET = re.compile(r"([A-Za-z_]\w*(?:\[[^]]*\])?\+?)=", re.DOTALL)


def assignment(word: Word, *, bash: bool) -> tuple[str, Word] | None:
    """The target of an assignment and what goes there; None when a word is none.

    The target of bash may have an index, and a `+` at its end when the value is appended.
    """
    if not word.pieces or word.pieces[0][1] != "plain":
        return None
    text = word.pieces[0][0]
    match = _TARGET.match(text) if bash else None
    if match is not None:
        name, rest = match[1], text[match.end() :]
    else:
        name, equals, rest = text.partition("=")
        if not equals or not name.isidentifier():
            return None
    pieces = (((rest, "plain"),) if rest else ()) + word.pieces[1:]
    return name, Word(pieces)
