"""`find`: an expression of tests and actions over a tree of files."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from sregym_regex import globs, perl

from sregym_cluster_embedded.userland.files.credentials import number_of
from sregym_cluster_embedded.userland.files.inode import (
    FILE,
    FOLDER,
    LINK,
    FileError,
    Inode,
    MissingError,
    mode_text,
)
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.usage_errors import usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = {"f": FILE, "d": FOLDER, "l": LINK, "c": "device"}
_VALUED = (
    *("-name", "-iname", "-path", "-wholename", "-type", "-size", "-mtime", "-mmin", "-perm"),
    *("-user", "-group", "-maxdepth", "-mindepth", "-newer", "-regex"),
)
_BARE = ("-print", "-print0", "-delete", "-empty", "-ls", "-xdev", "-depth", "-follow", "-mount")
_ACTIONS = ("-print", "-print0", "-delete", "-ls", "-exec")


class _UnknownError(ValueError):
    """A word that is no test."""


def walk(session: Session, path: str, depth: int = 99) -> Iterator[tuple[str, Inode]]:
    """A path and all that is below it, in order, with inodes; links are not followed."""
    inode = session.files.stat(path, follow=False)
    if inode is None:
        return
    yield path, inode
    if inode.kind == FOLDER and depth > 0:
        for name in session.files.listing(path) or ():
            yield from walk(session, posixpath.join(path, name), depth - 1)


class _Finder:
    def __init__(self, session: Session, words: list[str]) -> None:
        self.session = session
        self.words = words
        self.out = ""
        self.err = ""

    def matches(self, shown: str, path: str, inode: Inode) -> bool:
        """Evaluate the expression for one path; actions happen on the way."""
        self.at = 0
        self.here = (shown, path, inode)
        return self._either(act=True)

    def _either(self, *, act: bool) -> bool:
        found = self._both(act=act)
        while self.at < len(self.words) and self.words[self.at] in ("-o", "-or"):
            self.at += 1
            found = self._both(act=act and not found) or found
        return found

    def _both(self, *, act: bool) -> bool:
        found = True
        while self.at < len(self.words) and self.words[self.at] not in ("-o", "-or", ")"):
            if self.words[self.at] in ("-a", "-and"):
                self.at += 1
                continue
            found = self._one(act=act and found) and found
        return found

    def _one(self, *, act: bool) -> bool:
        word = self.words[self.at]
        self.at += 1
        if word in ("!", "-not"):
            return not self._one(act=act)
        if word == "(":
            found = self._either(act=act)
            self.at += 1
            return found
        if word in ("-exec", "-ok"):
            return self._exec(act=act)
        if word in _VALUED:
            value = self.words[self.at] if self.at < len(self.words) else ""
            self.at += 1
            return self._test(word, value)
        if word in _BARE:
            return self._bare(word) if act or word == "-empty" else False
        raise _UnknownError(word)

    def _exec(self, *, act: bool) -> bool:
        end = next((i for i in range(self.at, len(self.words)) if self.words[i] in (";", "+")), -1)
        command = [w.replace("{}", self.here[0]) for w in self.words[self.at : end]]
        self.at = end + 1
        if not act or self.session.runner is None:
            return act
        result = self.session.runner(command, "")
        self.out, self.err = self.out + result.out, self.err + result.err
        return result.code == 0

    def _bare(self, word: str) -> bool:
        shown, path, inode = self.here
        if word == "-empty":
            return inode.size == 0 if inode.kind == FILE else not self.session.files.listing(path)
        if word == "-print":
            self.out += f"{shown}\n"
        elif word == "-print0":
            self.out += f"{shown}\0"
        elif word == "-ls":
            self.out += f"{inode.blocks_kib:>6} {mode_text(inode)} {inode.links:>3} {inode.size:>9} {shown}\n"
        elif word == "-delete":
            try:
                self.session.files.remove(path)
            except FileError as error:
                self.err += complaint(self.session, "find", "remove", shown, error)
        return True

    def _test(self, word: str, value: str) -> bool:
        shown, path, inode = self.here
        name = posixpath.basename(path) or "/"
        if word in ("-maxdepth", "-mindepth"):
            return True
        if word in ("-name", "-iname"):
            fold = str.lower if word == "-iname" else str
            return globs.matches(fold(name), fold(value))
        if word in ("-path", "-wholename"):
            return globs.matches(shown, value)
        if word == "-regex":
            return perl.compiled(value.replace(r"\|", "|")).fullmatch(shown) is not None
        if word == "-type":
            return inode.kind in [_KINDS.get(letter) for letter in value.split(",")]
        if word == "-size":
            return _compared(-(-inode.size // _unit(value)), value)
        if word in ("-mtime", "-mmin"):
            age = self.session.files.now - inode.mtime
            return _compared(int(age // (86_400 if word == "-mtime" else 60)), value)
        if word == "-perm":
            bits = int(value.lstrip("-/"), 8) if value.lstrip("-/").isdecimal() else 0
            if value.startswith("-"):
                return inode.mode & bits == bits
            return bool(inode.mode & bits) if value.startswith("/") else inode.mode == bits
        if word == "-newer":
            other = self.session.files.stat(self.session.path(value))
            return other is not None and inode.mtime > other.mtime
        table = "/etc/passwd" if word == "-user" else "/etc/group"
        number = number_of(value, self.session.files.read(table) or "")
        return number == (inode.uid if word == "-user" else inode.gid)


def _unit(value: str) -> int:
    return {"c": 1, "k": 1024, "M": 1 << 20, "G": 1 << 30, "w": 2}.get(value[-1:], 512)


def _compared(amount: int, value: str) -> bool:
    digits = re.sub(r"\D", "", value)
    wanted = int(digits) if digits else 0
    if value.startswith("+"):
        return amount > wanted
    return amount < wanted if value.startswith("-") else amount == wanted


_WHOLE = ("-maxdepth", "-mindepth")
_AGES = ("-mtime", "-mmin")
_SIZE = re.compile(r"[+-]?\d+[bcwkMG]?")


def _mistake(session: Session, tests: list[str]) -> str:
    """What is wrong with an expression before it is tried on anything; empty when nothing is."""
    at, depth = 0, 0
    while at < len(tests):
        word, at = tests[at], at + 1
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word in ("-exec", "-ok"):
            end = next((i for i in range(at, len(tests)) if tests[i] in (";", "+")), -1)
            if end <= at:
                return _lacking(session, word)
            at = end + 1
        elif word in _VALUED:
            if at == len(tests):
                return _lacking(session, word)
            if wrong := _mismatch(session, word, tests[at]):
                return wrong
            at += 1
        elif word in ("!", "-not") and at == len(tests) and not session.busybox:
            return f"expected an expression after '{word}'"
        if depth < 0 and not session.busybox:
            return "invalid expression; you have too many ')'"
    if depth > 0 and session.busybox:
        return "unpaired '('"
    if depth > 0:
        return (
            "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an "
            "extra predicate after '('"
        )
    return ""


def _lacking(session: Session, word: str) -> str:
    return f"{word} requires an argument" if session.busybox else f"missing argument to `{word}'"


def _mismatch(session: Session, word: str, value: str) -> str:
    busybox = session.busybox
    if word == "-type" and not all(
        letter and letter in "bcdpflsD" for letter in (value.split(",") if not busybox else [value])
    ):
        return (
            f"invalid argument '{value}' to '-type'"
            if busybox
            else f"Unknown argument to -type: {value}"
        )
    if busybox:
        return _mismatch_of_busybox(session, word, value)
    if word in _WHOLE and not value.isdecimal():
        return f"Expected a positive decimal integer argument to {word}, but got '{value}'"
    if word == "-size" and _SIZE.fullmatch(value) is None and not value[-1:].isdecimal():
        return f"invalid -size type `{value[-1:]}'"
    if word in _AGES and re.fullmatch(r"[+-]?\d+(\.\d*)?", value) is None:
        return f"invalid argument `{value}' to `{word}'"
    if word == "-newer" and session.files.stat(session.path(value)) is None:
        return f"'{value}': No such file or directory"
    return ""


def _mismatch_of_busybox(session: Session, word: str, value: str) -> str:
    number = r"\d+" if word in _WHOLE else r"[+-]?\d+[bcwk]?" if word == "-size" else r"[+-]?\d+"
    if word in (*_WHOLE, *_AGES, "-size") and re.fullmatch(number, value) is None:
        return f"invalid number '{value}'"
    if word == "-newer" and session.files.stat(session.path(value)) is None:
        return f"can't stat '{value}': No such file or directory"
    return ""


def _find(session: Session, words: list[str], _stdin: str) -> Output:
    at = next((i for i, word in enumerate(words) if i and word[:1] in "-(!"), len(words))
    tests = words[at:]
    if wrong := _mistake(session, tests):
        return Output(1, "", f"find: {wrong}\n")
    depths = {
        word: int(tests[i + 1])
        for i, word in enumerate(tests[:-1])
        if word in ("-maxdepth", "-mindepth") and tests[i + 1].isdecimal()
    }
    if not any(word in _ACTIONS for word in tests):
        tests = ["(", *tests, ")", "-print"] if tests else ["-print"]
    finder = _Finder(session, tests)
    missing = ""
    for start in words[1:at] or ["."]:
        base = session.path(start)
        if session.files.stat(base) is None:
            missing += complaint(session, "find", "stat", start, MissingError(base))
            continue
        found = list(walk(session, base, depths.get("-maxdepth", 99)))
        if start.endswith("/") or (found and found[0][1].kind == LINK and start.endswith("/")):
            found = list(walk(session, session.files.resolve(base), depths.get("-maxdepth", 99)))
        if "-delete" in tests:
            found.reverse()
        for path, inode in found:
            below = path[len(found[-1 if "-delete" in tests else 0][0].rstrip("/")) :]
            if below.count("/") < depths.get("-mindepth", 0):
                continue
            shown = f"{start.rstrip('/') if below else start}{below}"
            try:
                finder.matches(shown or "/", path, inode)
            except _UnknownError as error:
                if session.busybox:
                    return Output(
                        1, "", f"find: unrecognized: {error}\n{usage_of(session, 'find')}"
                    )
                return Output(1, "", f"find: unknown predicate `{error}'\n")
    err = missing + finder.err
    return Output(1 if err else 0, finder.out, err)


SEARCHING_COMMANDS: dict[str, Command] = {"find": _find}
