"""Shell text in tokens: operators, redirections, words with their quoting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_OPERATORS = ("&&", "||", ";;", ";", "|", "&", "(", ")", "\n")


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


Token: TypeAlias = str | Word | Redirection


def tokens_of(text: str) -> tuple[list[Token], list[int]]:
    """The tokens of a script, and the line of each, from 1.

    Raises:
        ShellSyntaxError: A quote or bracket is not closed.
    """
    lexer = _Lexer(text)
    return lexer.run(), lexer.lines


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[Token] = []
        self.pending: list[tuple[int, str]] = []
        self.lines: list[int] = []
        self.counted, self.line = 0, 1

    def run(self) -> list[Token]:
        text = self.text
        while self.at < len(text):
            self.count()
            char = text[self.at]
            if char in " \t\r":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif not text.startswith("&>", self.at) and (operator := self.operator()) is not None:
                self.at += len(operator)
                self.found.append(operator)
                if operator == "\n":
                    self.here_documents()
            elif not self.redirection():
                self.found.append(self.word())
        self.here_documents()
        self.count()
        return self.found

    def count(self) -> None:
        """Note the line of what was found last, and go on to the present one."""
        self.lines += [self.line] * (len(self.found) - len(self.lines))
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at

    def operator(self) -> str | None:
        return next((o for o in _OPERATORS if self.text.startswith(o, self.at)), None)

    def redirection(self) -> bool:
        at = self.at
        descriptor = -1
        if self.text[at].isdigit() and self.text[at + 1 : at + 2] in ("<", ">"):
            descriptor, at = int(self.text[at]), at + 1
        operators = ("<<-", "<<<", "<<", "&>>", "&>", ">>", ">&", "<&", "<>", ">|", ">", "<")
        operator = next((o for o in operators if self.text.startswith(o, at)), None)
        if operator is None:
            return False
        if descriptor < 0:
            descriptor = 0 if operator.startswith("<") else 1
        width = len(operator)
        if operator == ">&" and re.match(r"\s*[^\s\d$-]", self.text[at + width :]):
            operator, descriptor = "&>", 1
        self.at = at + width
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        if self.at >= len(self.text):
            raise ShellSyntaxError("syntax error: unexpected end of file")
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
            elif text.startswith("$'", self.at):
                end = self.until("'", self.at + 2)
                pieces += [(plain, "plain"), (ansi(text[self.at + 2 : end]), "single")]
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


_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "'": "'", "\\": "\\"}


def ansi(text: str) -> str:
    """What stands between `$'` and `'`, with its escapes replaced."""

    def one(match: re.Match[str]) -> str:
        found = match[1]
        if found in _ANSI:
            return _ANSI[found]
        return chr(int(found[1:], 16) if found[0] == "x" else int(found, 8) & 255)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[ntrabe'\\])", one, text)


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
    raise ShellSyntaxError(f'syntax error: unexpected end of file (expecting "{closed}")')
