"""Shell text in tokens: operators, redirections, words with their quoting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_OPERATORS = ("&&", "||", ";;", ";", "|", "&", "(", ")", "\n")
_OPERATOR_STARTS = frozenset("&;|()\n")


class ShellSyntaxError(ValueError):
    """A text that is no shell script; the text names what was not expected.

    Attributes:
        mark: The quote or bracket that is missing; empty when none is.
    """

    def __init__(self, text: str, mark: str = "") -> None:
        super().__init__(text)
        self.mark = mark


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


def tokens_of(text: str, *, bash: bool = False) -> tuple[list[Token], list[int]]:
    """The tokens of a script, and the line of each, from 1.

    Args:
        text: The script.
        bash: Whether it may use what only bash knows.

    Raises:
        ShellSyntaxError: A quote or bracket is not closed.
    """
    lexer = _Lexer(text, bash=bash)
    return lexer.run(), lexer.lines


class _Lexer:
    def __init__(self, text: str, *, bash: bool) -> None:
        self.text, self.bash = text, bash
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
            elif self.bash and self.special():
                continue
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

    def special(self) -> bool:
        """Take what only bash knows; whether there was something."""
        text, at = self.text, self.at
        if text.startswith(("<(", ">("), at):
            self.found.append(self.word())
            return True
        if text.startswith("((", at) and (end := closing_pair(text, at)) > 0:
            self.found.append(Word(((text[at + 2 : end - 2], "arithmetic"),)))
            self.at = end
            return True
        if text.startswith("|&", at):
            both = Redirection(2, ">&", Word((("1", "plain"),)))
            self.found += [both, "|"]
            self.at += 2
            return True
        operator = next((o for o in (";;&", ";&") if text.startswith(o, at)), None)
        if operator is not None:
            self.found.append(operator)
            self.at += len(operator)
            return True
        if self.found and self.found[-1] == _MATCHES:
            self.found.append(self.word(expression=True))
            return True
        return False

    def count(self) -> None:
        """Note the line of what was found last, and go on to the present one."""
        self.lines += [self.line] * (len(self.found) - len(self.lines))
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at

    def operator(self) -> str | None:
        if self.text[self.at] not in _OPERATOR_STARTS:
            return None
        return next((o for o in _OPERATORS if self.text.startswith(o, self.at)), None)

    def redirection(self) -> bool:
        at = self.at
        descriptor = -1
        if self.text[at].isdigit() and self.text[at + 1 : at + 2] in ("<", ">"):
            descriptor, at = int(self.text[at]), at + 1
        if self.text[at] not in "<>&":
            return False
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

    def word(self, *, expression: bool = False) -> Word:
        """The word that begins here; an `expression` may have brackets and bars in it."""
        depth = 0
        pieces: list[tuple[str, str]] = []
        plain = ""
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if expression:
                depth += (char == "(") - (char == ")")
            if self.bash and text.startswith(("<(", ">("), self.at) and not expression:
                end = closing(text, self.at)
                pieces += [(plain, "plain"), (text[self.at + 2 : end - 1], "process")]
                plain, self.at = "", end
                continue
            if self.bash and char == "(" and not pieces and _ARRAY.fullmatch(plain):
                end = closing(text, self.at, following=False)
                pieces += [(plain, "plain"), (text[self.at + 1 : end - 1], "array")]
                plain, self.at = "", end
                continue
            if char in " \t\r\n;|&()<>" and not (
                expression and (char in "()|<>" or (depth > 0 and char not in "\n"))
            ):
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
            raise ShellSyntaxError("syntax error: unterminated quoted string", mark)
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
            raise ShellSyntaxError("syntax error: unterminated quoted string", '"')
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


# `[[ text =~ expression ]]`: what follows is read by other rules.
_MATCHES = Word((("=~", "plain"),))
_ARRAY = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")


def closing_pair(text: str, at: int) -> int:
    """Index behind the `))` that closes the `((` at `at`; 0 when there is none."""
    depth, index = 0, at
    while index < len(text):
        if text[index] == "(":
            depth += 1
        elif text[index] == ")":
            depth -= 1
            if depth == 1 and text[index + 1 : index + 2] != ")":
                return 0
            if depth == 0:
                return index + 1
        index += 1
    return 0


def closing(text: str, at: int, *, following: bool = True) -> int:
    """Index behind the end of the `$(...)`, `${...}` or backquoted part that begins at `at`.

    The bracket is the character behind, unless it stands at `at` itself.
    """
    at -= not following
    if following and text[at] == "`":
        end = text.find("`", at + 1)
        if end < 0:
            raise ShellSyntaxError("syntax error: EOF in backquote substitution", "`")
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
    raise ShellSyntaxError(f'syntax error: unexpected end of file (expecting "{closed}")', closed)
