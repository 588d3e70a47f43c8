"""Commands that move files around: cp, mv, tar; and the sums of their contents.

`tar` matters most: `kubectl cp` runs it at the far end.
"""

from __future__ import annotations

import hashlib
import io
import posixpath
import tarfile

from sregym_cluster_embedded.userland.files.inode import (
    FILE,
    FOLDER,
    LINK,
    FileError,
    Inode,
    MissingError,
)
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.find_command import walk
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

_TYPES = {FILE: tarfile.REGTYPE, FOLDER: tarfile.DIRTYPE, LINK: tarfile.SYMTYPE}
_KINDS = {kind: name for name, kind in _TYPES.items()}


def _copy(session: Session, words: list[str], _stdin: str) -> Output:
    """Copy or rename files and folders: cp and mv."""
    flags, operands = options(words, "t")
    name, moving = words[0], words[0] == "mv"
    if len(operands) < 2:
        return Output(1, "", f"{name}: missing file operand\n")
    *sources, target = operands
    out = err = ""
    for given in sources:
        source, goal = session.path(given), session.path(target)
        inode = session.files.stat(source, follow=not (moving or "a" in flags or "d" in flags))
        if inode is None:
            err += complaint(session, name, "stat", given, MissingError(source))
            continue
        if inode.kind == FOLDER and not moving and not {"r", "R", "a"} & set(flags):
            if session.busybox:
                err += f"cp: omitting directory '{given}'\n"
            else:
                err += f"cp: -r not specified; omitting directory '{given}'\n"
            continue
        shown = target
        if session.files.is_folder(goal):
            base = posixpath.basename(source)
            goal, shown = posixpath.join(goal, base), posixpath.join(target, base)
        try:
            if inode.kind != FOLDER:
                session.files.open(source)
        except FileError as error:
            err += complaint(session, name, "open", given, error)
            continue
        told = ""
        if "v" in flags and not session.busybox:
            below = [source] if moving else [path for path, _ in walk(session, source)]
            tails = [path[len(source) :] for path in below]
            word = "renamed " if moving else ""
            told = "".join(f"{word}'{given}{tail}' -> '{shown}{tail}'\n" for tail in tails)
        try:
            _transfer(session, source, goal, moving=moving, keep=bool({"a", "p"} & set(flags)))
            out += told
        except FileError as error:
            err += complaint(session, name, "create", shown, error)
    return Output(1 if err else 0, out, err)


def _transfer(session: Session, source: str, goal: str, *, moving: bool, keep: bool) -> None:
    files = session.files
    inode = files.stat(source)
    if inode is not None and inode.kind == FILE and not moving:
        fresh = files.stat(goal) is None
        files.write(goal, inode.content, zeros=inode.zeros)
        if keep:
            files.change(goal, mode=inode.mode, mtime=inode.mtime)
        elif fresh and inode.mode & 0o111:
            files.change(goal, mode=inode.mode & 0o777 & ~session.mask)
        return
    for path, below in list(walk(session, source)):
        mtime = below.mtime if keep or moving else files.now
        files.put(goal + path[len(source) :], below._replace(mtime=mtime, shown_bytes=-1))
    if moving:
        files.remove(source)


def _tar(session: Session, words: list[str], stdin: str) -> Output:
    """Create (`c`), list (`t`) and extract (`x`) archives."""
    bare = words[1] if len(words) > 1 and not words[1].startswith("-") else ""
    given = [words[0], *([f"-{bare}"] if bare else []), *words[2 if bare else 1 :]]
    if bare and "f" in bare and not bare.endswith("f"):
        given[1] = f"-{bare.replace('f', '')}f"
    flags, operands = options(given, "fCXT", {"create": "c", "extract": "x", "file": "f"})
    base = session.path(flags.get("C", "."))
    archive = flags.get("f", "-")
    if "c" in flags:
        result = _pack(session, base, archive, operands, squeezed="z" in flags)
        if "v" not in flags:
            return result
        named = _named(session, base, operands)
        if archive == "-":
            return Output(result.code, result.out, named + result.err)
        return Output(result.code, named + result.out, result.err)
    content = stdin
    if archive != "-":
        try:
            content = session.files.open(session.path(archive)).text
        except FileError as error:
            said = complaint(session, "tar", "open", archive, error)
            if session.busybox:
                return _failed(session, said)
            return Output(2, "", f"{said}tar: Error is not recoverable: exiting now\n")
    try:
        with tarfile.open(fileobj=io.BytesIO(_bytes(content))) as opened:
            members = [(m, opened.extractfile(m) if m.isreg() else None) for m in opened]
            held = [(m, f.read() if f is not None else b"") for m, f in members]
    except tarfile.TarError:
        text = "tar: short read\n"
        if not session.busybox:
            text = "tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors\n"
        return Output(1 if session.busybox else 2, "", text)
    wanted = [operand.rstrip("/") for operand in operands]
    if wanted:
        held = [
            (m, data)
            for m, data in held
            if any(m.name == name or m.name.startswith(f"{name}/") for name in wanted)
        ]
    if "t" in flags:
        return Output(0, "".join(f"{_titled(m)}\n" for m, _ in held))
    if "O" in flags:
        return Output(0, "".join(_text(data) for _, data in held))
    return _unpack(session, base, held, verbose="v" in flags)


def _titled(member: tarfile.TarInfo) -> str:
    """A member as it is listed: folders end with a slash."""
    return f"{member.name}/" if member.isdir() else member.name


def _named(session: Session, base: str, operands: list[str]) -> str:
    """What `tar cv` says that it packs."""
    out = ""
    for operand in operands:
        start = posixpath.normpath(posixpath.join(base, operand))
        if session.files.stat(start, follow=False) is None:
            continue
        for path, inode in walk(session, start):
            name = posixpath.normpath(operand + path[len(start) :])
            name = name.lstrip("/") if session.busybox else name
            out += f"{name}{'/' if inode.kind == FOLDER else ''}\n"
    return out


def _unpack(
    session: Session, base: str, held: list[tuple[tarfile.TarInfo, bytes]], *, verbose: bool
) -> Output:
    out, err = "", ""
    for member, data in held:
        kind = _KINDS.get(member.type, FILE)
        content = member.linkname if kind == LINK else _text(data)
        links = 2 if kind == FOLDER else 1
        inode = Inode(kind, content, member.mode, member.uid, member.gid, member.mtime, links=links)
        try:
            session.files.put(posixpath.normpath(posixpath.join(base, member.name)), inode)
        except FileError as error:
            err += complaint(session, "tar", "create", member.name, error)
            if session.busybox:
                return Output(1, out, err)
        out += f"{_titled(member)}\n" if verbose else ""
    return _failed(session, err, out) if err else Output(0, out)


def _failed(session: Session, err: str, out: str = "") -> Output:
    if session.busybox:
        return Output(1, out, err)
    return Output(2, out, f"{err}tar: Exiting with failure status due to previous errors\n")


def _pack(
    session: Session, base: str, archive: str, operands: list[str], *, squeezed: bool
) -> Output:
    packed, err, code, stripped = io.BytesIO(), "", 0, ""
    with tarfile.open(
        fileobj=packed, mode="w:gz" if squeezed else "w", format=tarfile.GNU_FORMAT
    ) as opened:
        for operand in operands:
            start = posixpath.normpath(posixpath.join(base, operand))
            if session.files.stat(start, follow=False) is None:
                err += complaint(
                    session,
                    "tar",
                    "stat" if not session.busybox else "list",
                    operand,
                    MissingError(start),
                )
                code = 1
                continue
            if operand.startswith("/") and not stripped:
                stripped = "tar: removing leading '/' from member names\n"
                if not session.busybox:
                    stripped = "tar: Removing leading `/' from member names\n"
            for path, inode in walk(session, start):
                name = posixpath.normpath(operand + path[len(start) :]).lstrip("/")
                member = tarfile.TarInfo(name or ".")
                member.type = _TYPES.get(inode.kind, tarfile.REGTYPE)
                member.mode, member.uid, member.gid = inode.mode, inode.uid, inode.gid
                member.mtime = int(inode.mtime)
                data = b""
                if inode.kind == LINK:
                    member.linkname = inode.content
                elif inode.kind == FILE:
                    data = _bytes(inode.text)
                    member.size = len(data)
                opened.addfile(member, io.BytesIO(data))
    if code:
        tail = "tar: error exit delayed from previous errors\n"
        if not session.busybox:
            tail, code = "tar: Exiting with failure status due to previous errors\n", 2
        err += tail
    text = _text(packed.getvalue())
    if archive == "-":
        return Output(code, text, stripped + err)
    try:
        session.files.write(session.path(archive), text)
    except FileError as error:
        return _failed(session, complaint(session, "tar", "create", archive, error))
    return Output(code, "", stripped + err)


def _sum(session: Session, words: list[str], stdin: str) -> Output:
    out, err = "", ""
    flags, operands = options(words)
    for operand in operands or ["-"]:
        if operand == "-":
            content = stdin
        else:
            try:
                content = session.files.open(session.path(operand)).text
            except FileError as error:
                err += complaint(session, words[0], "open", operand, error)
                continue
        if "c" in flags:
            return _checked(session, words[0], content)
        digest = hashlib.new(words[0].removesuffix("sum"), _bytes(content)).hexdigest()
        out += f"{digest}  {operand}\n"
    return Output(1 if err else 0, out, err)


def _checked(session: Session, name: str, listed: str) -> Output:
    out, failed = "", 0
    for line in listed.splitlines():
        digest, _, path = line.partition("  ")
        content = session.files.read(session.path(path))
        found = hashlib.new(name.removesuffix("sum"), _bytes(content or "")).hexdigest()
        good = content is not None and found == digest
        failed += not good
        out += f"{path}: {'OK' if good else 'FAILED'}\n"
    return Output(1 if failed else 0, out)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


COPYING_COMMANDS: dict[str, Command] = {
    "cp": _copy,
    "md5sum": _sum,
    "mv": _copy,
    "sha1sum": _sum,
    "sha256sum": _sum,
    "sha512sum": _sum,
    "tar": _tar,
}
