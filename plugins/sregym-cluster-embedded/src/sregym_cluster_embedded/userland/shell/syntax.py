"""Shell text as a tree: lists, pipelines, loops, conditions, words with their quoting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


class ShellSyntaxError(ValueError):
    """A text that is no shell script; the text names what was not expected."""


@dataclass(frozen=True)
class Word:
    """A word in pieces: (text, how), `how` being `plain`, `double` or `single` quoting."""

    pieces: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Redirection:
    """`2>file` and the like: descriptor, operator, target; here-documents bring their text."""

    descriptor: int
    operator: str
    target: Word


@dataclass(frozen=True)
class Simple:
    """Assignments, a command with arguments, redirections."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


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


Node: TypeAlias = Simple | Pipeline | Sequence | Condition | Loop | Each | Group
Token: TypeAlias = str | Word | Redirection

_OPERATORS = ("&&", "||", ";;", ";", "|", "&", "(", ")", "\n")
_RESERVED = ("if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "{", "}")


def parse(text: str) -> Node:
    """The tree of a script.

    Raises:
        ShellSyntaxError: It is none.
    """
    return _Parser(_tokens(text)).script()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[Token] = []
        self.pending: list[tuple[int, str]] = []

    def run(self) -> list[Token]:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in " \t\r":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif (operator := self.operator()) is not None:
                self.at += len(operator)
                self.found.append(operator)
                if operator == "\n":
                    self.here_documents()
            elif not self.redirection():
                self.found.append(self.word())
        return self.found

    def operator(self) -> str | None:
        return next((o for o in _OPERATORS if self.text.startswith(o, self.at)), None)

    def redirection(self) -> bool:
        at = self.at
        descriptor = -1
        if self.text[at].isdigit() and self.text[at + 1 : at + 2] in ("<", ">"):
            descriptor, at = int(self.text[at]), at + 1
        operators = ("<<-", "<<<", "<<", ">>", ">&", "<&", ">|", ">", "<")
        operator = next((o for o in operators if self.text.startswith(o, at)), None)
        if operator is None:
            return False
        if descriptor < 0:
            descriptor = 0 if operator.startswith("<") else 1
        self.at = at + len(operator)
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        if self.at >= len(self.text):
            raise ShellSyntaxError("syntax error: unexpected newline")
        target = self.word()
        if operator in ("<<", "<<-"):
            self.pending.append((len(self.found), operator))
        self.found.append(Redirection(descriptor, operator, target))
        return True

    def here_documents(self) -> None:
        for index, _ in self.pending:
            entry = self.found[index]
            assert isinstance(entry, Redirection)
            mark = "".join(text for text, _ in entry.target.pieces)
            quoted = any(how != "plain" for _, how in entry.target.pieces)
            lines = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                if (line.lstrip("\t") if entry.operator == "<<-" else line) == mark:
                    break
                lines.append(line.lstrip("\t") if entry.operator == "<<-" else line)
            body = "".join(f"{line}\n" for line in lines)
            word = Word(((body, "single" if quoted else "double"),))
            self.found[index] = Redirection(entry.descriptor, "<<", word)
        self.pending = []

    def word(self) -> Word:
        pieces: list[tuple[str, str]] = []
        plain = ""
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in " \t\r\n;|&()<>":
                break
            if char == "'":
                end = self.until("'", self.at + 1)
                pieces += [(plain, "plain"), (text[self.at + 1 : end], "single")]
                plain, self.at = "", end + 1
            elif char == '"':
                end = self.double_end(self.at + 1)
                pieces += [(plain, "plain"), (text[self.at + 1 : end], "double")]
                plain, self.at = "", end + 1
            elif char == "\\":
                pieces += [(plain, "plain"), (text[self.at + 1 : self.at + 2], "single")]
                plain, self.at = "", self.at + 2
            elif text.startswith("$(", self.at) or text.startswith("${", self.at) or char == "`":
                end = self.closing(self.at)
                plain += text[self.at : end]
                self.at = end
            else:
                plain += char
                self.at += 1
        pieces.append((plain, "plain"))
        return Word(tuple(piece for piece in pieces if piece[0] or piece[1] != "plain"))

    def until(self, mark: str, at: int) -> int:
        end = self.text.find(mark, at)
        if end < 0:
            raise ShellSyntaxError("syntax error: unterminated quoted string")
        return end

    def double_end(self, at: int) -> int:
        while at < len(self.text) and self.text[at] != '"':
            if self.text[at] == "\\":
                at += 2
            elif self.text.startswith("$(", at) or self.text[at] == "`":
                at = self.closing(at)
            else:
                at += 1
        if at >= len(self.text):
            raise ShellSyntaxError("syntax error: unterminated quoted string")
        return at

    def closing(self, at: int) -> int:
        return closing(self.text, at)


def closing(text: str, at: int) -> int:
    """Index behind the end of the `$(...)`, `${...}` or backquoted part that begins at `at`."""
    if text[at] == "`":
        end = text.find("`", at + 1)
        if end < 0:
            raise ShellSyntaxError("syntax error: EOF in backquote substitution")
        return end + 1
    opened, closed = text[at + 1], {"(": ")", "{": "}"}[text[at + 1]]
    depth, index, quote = 0, at + 1, ""
    while index < len(text):
        char = text[index]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "\\":
            index += 1
        elif char == opened:
            depth += 1
        elif char == closed:
            depth -= 1
            if depth == 0:
                return index + 1
        index += 1
    raise ShellSyntaxError(f"syntax error: missing '{closed}'")


def _tokens(text: str) -> list[Token]:
    return _Lexer(text).run()


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def plain(self) -> str:
        token = self.peek()
        if isinstance(token, Word) and len(token.pieces) == 1 and token.pieces[0][1] == "plain":
            return token.pieces[0][0]
        return ""

    def script(self) -> Node:
        node = self.sequence(())
        if (token := self.peek()) is not None:
            shown = token if isinstance(token, str) else self.plain() or "word"
            raise ShellSyntaxError(f'syntax error: unexpected "{shown}"')
        return node

    def sequence(self, ends: tuple[str, ...]) -> Node:
        parts: list[tuple[str, Node]] = []
        operator = ";"
        while True:
            while self.peek() in ("\n", ";"):
                self.at += 1
            if self.peek() in (None, ")") or (self.plain() in ends and self.plain()):
                break
            parts.append((operator, self.pipeline()))
            token = self.peek()
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
            body = self.sequence(())
            self.expect_operator(")")
            return Group(body, self.redirections(), True)
        word = self.plain()
        compound = {
            "if": self.condition, "while": self.loop, "until": self.loop,
            "for": self.each, "{": self.braces,
        }.get(word)  # fmt: skip
        if compound is None:
            return self.simple()
        body = compound()
        redirections = self.redirections()
        return Group(body, redirections, False) if redirections else body

    def braces(self) -> Node:
        self.expect("{")
        body = self.sequence(("}",))
        self.expect("}")
        return body

    def condition(self) -> Node:
        branches = []
        self.expect("if")
        while True:
            test = self.sequence(("then",))
            self.expect("then")
            branches.append((test, self.sequence(("elif", "else", "fi"))))
            if self.plain() != "elif":
                break
            self.at += 1
        otherwise = None
        if self.plain() == "else":
            self.at += 1
            otherwise = self.sequence(("fi",))
        self.expect("fi")
        return Condition(tuple(branches), otherwise)

    def loop(self) -> Node:
        until = self.plain() == "until"
        self.at += 1
        test = self.sequence(("do",))
        self.expect("do")
        body = self.sequence(("done",))
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
        while self.peek() in (";", "\n"):
            self.at += 1
        self.expect("do")
        body = self.sequence(("done",))
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
        return Simple(tuple(assignments), tuple(words), tuple(redirections))

    def expect(self, word: str) -> None:
        if self.plain() != word:
            raise ShellSyntaxError(f'syntax error: unexpected end of file (expecting "{word}")')
        self.at += 1

    def expect_operator(self, operator: str) -> None:
        if self.peek() != operator:
            raise ShellSyntaxError(f'syntax error: unexpected end of file (expecting "{operator}")')
        self.at += 1


def _assignment(word: Word) -> tuple[str, Word] | None:
    if not word.pieces or word.pieces[0][1] != "plain":
        return None
    name, equals, rest = word.pieces[0][0].partition("=")
    if not equals or not name.isidentifier():
        return None
    pieces = (((rest, "plain"),) if rest else ()) + word.pieces[1:]
    return name, Word(pieces)
