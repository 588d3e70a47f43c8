"""gzip, gunzip and zcat."""

from __future__ import annotations

import gzip
import io
import zlib

from sregym_regex.budget import allocate

from sregym_cluster_embedded.userland.files.inode import FOLDER, FileError
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

_SUFFIXES = (".gz", ".tgz", ".z", ".Z", "-gz")
_MAGIC = b"\x1f\x8b"


# What is unpacked at once, and how often it is held on its way to a text.
_PIECE_BYTES, _COPIES = 1 << 20, 3


def packed(text: str) -> str:
    """A text, compressed."""
    data = gzip.compress(text.encode(errors="surrogateescape"), mtime=0)
    return data.decode(errors="surrogateescape")


def unpacked(text: str) -> str | None:
    """The reverse; None when it is not compressed."""
    data = text.encode(errors="surrogateescape")
    if not data.startswith(_MAGIC):
        return None
    try:
        return _opened(data).decode(errors="surrogateescape")
    except (OSError, EOFError, zlib.error):
        return None


def _opened(data: bytes) -> bytes:
    """What was packed, piece by piece: little can stand for very much."""
    parts: list[bytes] = []
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as source:
        while part := source.read(_PIECE_BYTES):
            allocate(_COPIES * len(part))
            parts.append(part)
    return b"".join(parts)


def _gzip(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "S")
    name = words[0].rpartition("/")[2]
    opens = name in ("gunzip", "zcat") or bool({"d", "t", "l"} & set(flags))
    writes = name == "zcat" or "c" in flags or "t" in flags or "l" in flags
    code, out, err = 0, "", ""
    for operand in operands or ["-"]:
        if operand == "-":
            found, failed, failure = _streamed(session, name, stdin, opens=opens)
        else:
            found, failed, failure = _filed(
                session, name, operand, opens=opens, flags=flags, writes=writes
            )
        code, out, err = max(code, failure), out + ("" if "t" in flags else found), err + failed
    return Output(code, out, err)


def _streamed(session: Session, name: str, stdin: str, *, opens: bool) -> tuple[str, str, int]:
    if not opens:
        return packed(stdin), "", 0
    found = unpacked(stdin)
    if found is not None:
        return found, "", 0
    return "", _strange(session, name, "stdin"), 1


def _strange(session: Session, name: str, what: str) -> str:
    """What is said of something that is not compressed."""
    if session.busybox:
        return f"{name}: {'no gzip/bzip2/xz magic' if name == 'zcat' else 'invalid magic'}\n"
    return f"\ngzip: {what}: not in gzip format\n"


def _filed(
    session: Session, name: str, path: str, *, opens: bool, flags: dict[str, str], writes: bool
) -> tuple[str, str, int]:
    """One file: what goes to the output, what is said, and the code."""
    files, place = session.files, session.path(path)
    who = name if session.busybox else "gzip"
    inode = files.stat(place)
    if inode is not None and inode.kind == FOLDER:
        said = f"{who}: {path} is a directory -- ignored\n"
        if session.busybox:
            return "", f"{who}: can't remove file '{path}': Is a directory\n", 1
        return "", said, 2
    suffixed = path.endswith(_SUFFIXES)
    if opens and not suffixed and not writes and inode is not None:
        said = f"{path}: unknown suffix {'-' if session.busybox else '--'} ignored"
        return "", f"{who}: {said}\n", 1 if session.busybox else 2
    if not opens and suffixed and not session.busybox and "f" not in flags and not writes:
        return "", f"gzip: {path} already has .gz suffix -- unchanged\n", 2
    if opens and inode is None and not suffixed and not session.busybox:
        path, place = f"{path}.gz", f"{place}.gz"
    try:
        text = files.open(place).text
    except FileError as error:
        return "", f"{who}: {path}: {error.words}\n", 1
    result = unpacked(text) if opens else packed(text)
    if result is None:
        return "", _strange(session, name, path), 1
    if writes:
        return result, "", 0
    goal = (
        (place[:-4] + ".tar" if place.endswith(".tgz") else place[:-3]) if opens else f"{place}.gz"
    )
    if files.stat(goal) is not None and "f" not in flags:
        shown = goal if path.startswith("/") else goal.rpartition("/")[2]
        if session.busybox:
            return "", f"{who}: can't open '{shown}': File exists\n", 1
        return "", f"gzip: {shown} already exists;\tnot overwritten\n", 2
    try:
        files.write(goal, result)
        if "k" not in flags:
            files.remove(place)
    except FileError as error:
        return "", f"{who}: {path}: {error.words}\n", 1
    return "", "", 0


PACKING_COMMANDS: dict[str, Command] = {"gunzip": _gzip, "gzip": _gzip, "zcat": _gzip}
