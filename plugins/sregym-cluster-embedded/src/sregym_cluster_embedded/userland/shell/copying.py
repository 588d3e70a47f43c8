"""Commands that move files around: cp, mv, tar, and find that looks for them.

`tar` matters most: `kubectl cp` runs it at the far end.
"""

from __future__ import annotations

import fnmatch
import hashlib
import io
import posixpath
import tarfile
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.filesystem import ReadOnlyError
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import options

if TYPE_CHECKING:
    from collections.abc import Iterator


def _walk(session: Session, path: str) -> Iterator[str]:
    """A path and all that is below it, in order."""
    yield path
    if session.files.read(path) is None:
        for name in session.files.listing(path) or ():
            yield from _walk(session, posixpath.join(path, name))


def _copy(session: Session, words: list[str], _stdin: str) -> Output:
    """Copy or rename files and folders: cp and mv."""
    flags, operands = options(words)
    moving = words[0] == "mv"
    if len(operands) < 2:
        return Output(1, "", f"{words[0]}: missing file operand\n")
    *sources, target = (session.path(operand) for operand in operands)
    for source, given in zip(sources, operands, strict=False):
        folder = session.files.is_folder(source)
        if not folder and session.files.read(source) is None:
            text = "can't rename" if moving else "can't stat"
            return Output(1, "", f"{words[0]}: {text} '{given}': No such file or directory\n")
        if folder and not moving and not {"r", "R", "a"} & set(flags):
            return Output(1, "", f"cp: omitting directory '{given}'\n")
        inside = session.files.is_folder(target)
        place = posixpath.join(target, posixpath.basename(source)) if inside else target
        try:
            _move(session, source, place, remove=moving)
        except ReadOnlyError as error:
            text = f"{words[0]}: can't create '{error}': Read-only file system\n"
            return Output(1, "", text)
    return Output()


def _move(session: Session, source: str, place: str, *, remove: bool) -> None:
    for path in list(_walk(session, source)):
        content = session.files.read(path)
        if content is not None:
            session.files.write(f"{place}{path[len(source) :]}", content)
            if remove:
                session.files.write(path, None)


def _find(session: Session, words: list[str], _stdin: str) -> Output:
    """Folders, and the tests -name, -iname, -path and -type that all have to hold."""
    at = next((i for i, word in enumerate(words) if i and word[:1] in "-(!"), len(words))
    tests = dict(zip(words[at::2], words[at + 1 :: 2], strict=False))
    tests.pop("-maxdepth", None)
    unknown = next((word for word in tests if word not in _TESTS), None)
    if unknown is not None and unknown != "-print":
        return Output(1, "", f"find: unrecognized: {unknown}\n")
    out, err = "", ""
    for start in words[1:at] or ["."]:
        base = session.path(start)
        if session.files.read(base) is None and not session.files.is_folder(base):
            err += f"find: {start}: No such file or directory\n"
            continue
        for path in _walk(session, base):
            if all(_passes(session, path, *test) for test in tests.items()):
                out += f"{start.rstrip('/') if path != base else start}{_below(base, path)}\n"
    return Output(1 if err else 0, out, err)


_TESTS = ("-name", "-iname", "-path", "-type", "-print")


def _below(base: str, path: str) -> str:
    return path[len(base.rstrip("/")) :] if path != base else ""


def _passes(session: Session, path: str, test: str, value: str) -> bool:
    if test == "-type":
        return (value == "f") == (session.files.read(path) is not None)
    if test == "-path":
        return fnmatch.fnmatchcase(path, value)
    name = posixpath.basename(path)
    if test == "-iname":
        return fnmatch.fnmatchcase(name.lower(), value.lower())
    return test == "-print" or fnmatch.fnmatchcase(name, value)


def _tar(session: Session, words: list[str], stdin: str) -> Output:
    """Create (`c`), list (`t`) and extract (`x`) uncompressed archives on standard streams."""
    bare = words[1] if len(words) > 1 and not words[1].startswith("-") else ""
    flags, operands = options(
        [words[0], *([f"-{bare}"] if bare else []), *words[2 if bare else 1 :]], "fC"
    )
    base = session.path(flags.get("C", "."))
    archive = flags.get("f", "-")
    if "c" in flags:
        return _pack(session, base, archive, operands)
    content = stdin if archive == "-" else session.files.read(session.path(archive))
    if content is None:
        text = f"tar: can't open '{archive}': No such file or directory\n"
        return Output(1, "", text)
    try:
        with tarfile.open(fileobj=io.BytesIO(_bytes(content))) as opened:
            files = {member.name: opened.extractfile(member) for member in opened}
            held = {name: file.read() for name, file in files.items() if file is not None}
    except tarfile.TarError:
        return Output(1, "", "tar: short read\n")
    if "t" in flags:
        return Output(0, "".join(f"{name}\n" for name in files))
    for name, data in held.items():
        try:
            session.files.write(posixpath.normpath(posixpath.join(base, name)), _text(data))
        except ReadOnlyError:
            return Output(1, "", f"tar: can't open '{name}': Read-only file system\n")
    return Output()


def _pack(session: Session, base: str, archive: str, operands: list[str]) -> Output:
    packed, err, code = io.BytesIO(), "", 0
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as opened:
        for operand in operands:
            start = posixpath.normpath(posixpath.join(base, operand))
            if session.files.read(start) is None and not session.files.is_folder(start):
                err += f"tar: {operand}: No such file or directory\n"
                code = 1
            elif operand.startswith("/") and "removing" not in err:
                err += "tar: removing leading '/' from member names\n"
            for path in _walk(session, start):
                content = session.files.read(path)
                if content is not None:
                    name = posixpath.join(operand, posixpath.relpath(path, start))
                    member = tarfile.TarInfo(posixpath.normpath(name).lstrip("/"))
                    data = _bytes(content)
                    member.size = len(data)
                    member.mtime = int(session.world.epoch + session.process.started_at)
                    opened.addfile(member, io.BytesIO(data))
    text = _text(packed.getvalue())
    if archive == "-":
        return Output(code, text, err)
    session.files.write(session.path(archive), text)
    return Output(code, "", err)


def _sum(session: Session, words: list[str], stdin: str) -> Output:
    out = ""
    for operand in words[1:] or ["-"]:
        content = stdin if operand == "-" else session.files.read(session.path(operand))
        if content is None:
            text = f"{words[0]}: can't open '{operand}': No such file or directory\n"
            return Output(1, out, text)
        digest = hashlib.new(words[0].removesuffix("sum"), _bytes(content)).hexdigest()
        out += f"{digest}  {operand}\n"
    return Output(0, out)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


COPYING_COMMANDS: dict[str, Command] = {
    "cp": _copy,
    "find": _find,
    "md5sum": _sum,
    "mv": _copy,
    "sha256sum": _sum,
    "tar": _tar,
}
