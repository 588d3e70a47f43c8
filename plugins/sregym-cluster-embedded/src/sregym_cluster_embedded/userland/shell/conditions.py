"""`test`, `[` and `[[`."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from sregym_cluster_embedded.userland.files.inode import FILE, FOLDER, LINK
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.wording import shell_name

_NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


class _UnknownOperandError(ValueError):
    """A number was needed."""


def _test(session: Session, words: list[str], _stdin: str) -> Output:
    parts = words[1:]
    closing = {"[": "]", "[[": "]]"}.get(words[0])
    if closing is not None:
        if parts[-1:] != [closing]:
            if session.busybox:
                return Output(2, "", f"{shell_name(session)}: missing {closing}\n")
            return Output(2, "", f"{shell_name(session)}: {words[0]}: missing {closing}\n")
        parts = parts[:-1]
    try:
        return Output(0 if _any(session, parts, bash=words[0] == "[[") else 1)
    except _UnknownOperandError as error:
        text = f"{shell_name(session)}: {error}: bad number\n"
        if not session.busybox:
            text = f"{shell_name(session)}: {words[0]}: Illegal number: {error}\n"
            if shell_name(session).startswith("bash"):
                text = f"{shell_name(session)}: {words[0]}: {error}: integer expression expected\n"
        return Output(2, "", text)


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
        return operand in session.environment
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
        return fnmatchcase(left, right) if bash else left == right
    if operator == "!=":
        return not fnmatchcase(left, right) if bash else left != right
    if operator == "=~":
        return re.search(right, left) is not None
    if operator in ("<", ">"):
        return left < right if operator == "<" else left > right
    if operator in ("-nt", "-ot", "-ef"):
        first = session.files.stat(session.path(left))
        second = session.files.stat(session.path(right))
        if first is None or second is None:
            return first is not None and operator == "-nt"
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
