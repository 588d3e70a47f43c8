"""`test`, `[` and `[[`."""

from __future__ import annotations

import re

from sregym_regex import globs, perl

from sregym_cluster_embedded.userland.files.inode import FILE, FOLDER, LINK
from sregym_cluster_embedded.userland.shell.errno_messages import shell_name
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

_NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


_BINARY = ("=", "==", "!=", "<", ">", "-nt", "-ot", "-ef")
_UNARY = tuple(f"-{letter}" for letter in "bcdefghknoprstuvwxzGLNOS" if letter != "o")


class _UnknownOperandError(ValueError):
    """A number was needed."""


class _TestError(ValueError):
    """The words are no condition; the text is the shell's."""


def _test(session: Session, words: list[str], _stdin: str) -> Output:
    parts = words[1:]
    closing = {"[": "]", "[[": "]]"}.get(words[0])
    if closing is not None:
        if parts[-1:] != [closing]:
            if session.ash:
                return Output(2, "", f"{shell_name(session)}: missing {closing}\n")
            wanted = f"`{closing}'" if session.shell == "bash" else closing
            return Output(2, "", f"{shell_name(session)}: {words[0]}: missing {wanted}\n")
        parts = parts[:-1]
    if words[0] == "[[":
        return Output(0 if _any(session, parts, bash=True) else 1)
    try:
        return Output(0 if _Test(session, parts).holds() else 1)
    except _TestError as error:
        name = shell_name(session)
        if not session.ash:
            name = f"{name}: {words[0]}"
        return Output(2, "", f"{name}: {error}\n")


class _Test:
    """The grammar of `test`: `-o` binds least, then `-a`, then `!`; what is left is a mistake."""

    def __init__(self, session: Session, words: list[str]) -> None:
        self._session = session
        self._words = words
        self._at = 0

    def holds(self) -> bool:
        """Whether the condition is true.

        Raises:
            _TestError: It is none.
        """
        words = self._words
        if self._session.shell == "bash" and not self._session.ash:
            self._check_as_bash()
        if len(words) == 1 or (len(words) == 3 and is_binary(words[1])):
            return self._holds(words)
        if len(words) == 2 and words[0] == "!":
            return words[1] == ""
        if not words:
            return False
        found = self._or()
        if self._at < len(words):
            at = self._at if self._session.ash else self._at - 1
            raise _TestError(self._unknown(words[at]))
        return found

    def _check_as_bash(self) -> None:
        words = [word for word in self._words if word not in ("(", ")")]
        while words[:1] == ["!"]:
            words = words[1:]
        if len(words) == 2 and not words[0].startswith("-"):
            raise _TestError(f"{words[0]}: unary operator expected")
        if len(words) == 3 and not is_binary(words[1]) and words[1] not in ("-a", "-o"):
            raise _TestError(f"{words[1]}: binary operator expected")
        if len(words) > 3 and not {"-a", "-o"} & set(words):
            raise _TestError("too many arguments")

    def _unknown(self, word: str) -> str:
        return f"{word}: unknown operand" if self._session.ash else f"{word}: unexpected operator"

    def _peek(self, ahead: int = 0) -> str | None:
        at = self._at + ahead
        return self._words[at] if at < len(self._words) else None

    def _or(self) -> bool:
        found = self._and()
        while self._peek() == "-o":
            self._at += 1
            found = self._and() or found
        return found

    def _and(self) -> bool:
        found = self._not()
        while self._peek() == "-a":
            self._at += 1
            found = self._not() and found
        return found

    def _not(self) -> bool:
        if self._peek() == "!" and self._peek(1) is not None:
            self._at += 1
            return not self._not()
        return self._primary()

    def _primary(self) -> bool:
        word = self._peek()
        if word is None:
            raise _TestError("argument expected")
        if word == "(" and self._peek(1) is not None and not is_binary(self._peek(1) or ""):
            self._at += 1
            found = self._or()
            if self._peek() != ")":
                raise _TestError("closing paren expected")
            self._at += 1
            return found
        following = self._peek(1)
        if following is not None and is_binary(following):
            if self._peek(2) is None:
                raise _TestError(f"{following}: argument expected")
            self._at += 3
            return self._holds(self._words[self._at - 3 : self._at])
        if word in _UNARY:
            if following is None and self._at > 0:
                raise _TestError(f"{word}: argument expected")
            self._at += 2
            return self._holds(self._words[self._at - 2 : self._at])
        self._at += 1
        return word != ""

    def _holds(self, words: list[str]) -> bool:
        try:
            return _holds(self._session, words, bash=False)
        except _UnknownOperandError as error:
            if self._session.ash:
                raise _TestError(f"{error}: bad number") from None
            if self._session.shell == "bash":
                raise _TestError(f"{error}: integer expression expected") from None
            raise _TestError(f"Illegal number: {error}") from None


def is_binary(word: str) -> bool:
    """Whether a word compares the two around it."""
    return word in _BINARY or word in _NUMBERS


def unary_holds(session: Session, operator: str, operand: str) -> bool:
    """Whether a condition of an operator and one word is true."""
    return _unary(session, operator, operand)


def compare_words(session: Session, words: list[str]) -> bool:
    """Whether a comparison of two words is true."""
    return _holds(session, words, bash=False)


def _any(session: Session, parts: list[str], *, bash: bool) -> bool:
    for word in ("||", "-o"):
        if word in parts[1:-1] and not (word == "-o" and len(parts) == 3):
            at = parts.index(word, 1)
            left, right = parts[:at], parts[at + 1 :]
            return _any(session, left, bash=bash) or _any(session, right, bash=bash)
    for word in ("&&", "-a"):
        if word in parts[1:-1] and not (word == "-a" and len(parts) == 3 and not bash):
            at = parts.index(word, 1)
            left, right = parts[:at], parts[at + 1 :]
            return _any(session, left, bash=bash) and _any(session, right, bash=bash)
    if parts[:1] == ["("] and parts[-1:] == [")"]:
        return _any(session, parts[1:-1], bash=bash)
    if parts[:1] == ["!"] and len(parts) > 1:
        return not _any(session, parts[1:], bash=bash)
    return _holds(session, parts, bash=bash)


def _holds(session: Session, parts: list[str], *, bash: bool) -> bool:
    if len(parts) == 1:
        return parts[0] != ""
    if len(parts) == 2:
        return _unary(session, *parts)
    if len(parts) == 3:
        return _binary(session, *parts, bash=bash)
    return False


def _unary(session: Session, operator: str, operand: str) -> bool:
    if operator in ("-n", "-z"):
        return (operand != "") == (operator == "-n")
    if operator == "-t":
        return False
    if operator == "-v":
        name, bracket, _ = operand.partition("[")
        return operand in session.environment or (
            not bracket and f"{name}[0]" in session.environment
        )
    inode = session.files.stat(session.path(operand), follow=operator not in ("-L", "-h"))
    if inode is None:
        return False
    rights = session.rights
    answers = {
        "-f": inode.kind == FILE,
        "-d": inode.kind == FOLDER,
        "-L": inode.kind == LINK,
        "-h": inode.kind == LINK,
        "-c": inode.kind == "device",
        "-s": inode.size > 0,
        "-r": rights.may(inode, 4),
        "-w": rights.may(inode, 2),
        "-x": inode.mode & 0o111 != 0 and rights.may(inode, 1),
        "-O": inode.uid == rights.uid,
        "-b": False,
        "-p": False,
        "-S": False,
    }
    return answers.get(operator, True)


def _binary(session: Session, left: str, operator: str, right: str, *, bash: bool) -> bool:
    if operator in ("=", "=="):
        return globs.matches(left, right) if bash else left == right
    if operator == "!=":
        return not globs.matches(left, right) if bash else left != right
    if operator == "=~":
        return perl.found(right, left) is not None
    if operator in ("<", ">"):
        return left < right if operator == "<" else left > right
    if operator in ("-nt", "-ot", "-ef"):
        first = session.files.stat(session.path(left))
        second = session.files.stat(session.path(right))
        if first is None or second is None:
            # bash takes what is not there for the older one; other shells compare files only.
            return first is not None and operator == "-nt" and session.shell == "bash"
        if operator == "-ef":
            return session.files.resolve(session.path(left)) == session.files.resolve(
                session.path(right)
            )
        newer = first.mtime > second.mtime
        return newer if operator == "-nt" else first.mtime < second.mtime
    if operator in ("-a", "-o"):
        found = (left != "", right != "")
        return all(found) if operator == "-a" else any(found)
    if operator not in _NUMBERS:
        return False
    numbers = []
    for text in (left, right):
        if not re.fullmatch(r"\s*[-+]?\d+\s*", text):
            raise _UnknownOperandError(text)
        numbers.append(int(text))
    a, b = numbers
    return {"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}[
        operator
    ]


CONDITION_COMMANDS: dict[str, Command] = {"[": _test, "[[": _test, "test": _test}
