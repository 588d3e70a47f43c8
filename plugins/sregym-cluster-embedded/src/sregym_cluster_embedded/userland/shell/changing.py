"""Commands that change the file system: touch, mkdir, rm, ln, chmod, chown, dd, truncate, tee."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.capacity import (
    filesystem_usage,
    in_memory,
    require_space,
)
from sregym_cluster_embedded.userland.files.credentials import number_of
from sregym_cluster_embedded.userland.files.inode import (
    FILE,
    FOLDER,
    FileError,
    FullError,
    Inode,
    MissingError,
)
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.temporary import mktemp

if TYPE_CHECKING:
    from collections.abc import Callable

# What `dd if=/dev/zero` without a count would write: more than any disk holds.
_ENDLESS = 1 << 50
_UNITS = {"": 1, "c": 1, "w": 2, "b": 512, "k": 1024, "K": 1024, "M": 1 << 20, "G": 1 << 30}
_UNITS |= {"kB": 1000, "KB": 1000, "MB": 10**6, "GB": 10**9, "KiB": 1024, "MiB": 1 << 20}


def _each(
    session: Session, words: list[str], operands: list[str], doing: str, act: Callable[[str], None]
) -> Output:
    """Do something to each operand, and say of which the kernel refused it."""
    if not operands:
        text = f"{words[0]}: missing operand\n"
        return Output(1, "", text)
    err = ""
    for operand in operands:
        try:
            act(session.path(operand))
        except FileError as error:
            err += complaint(session, words[0], doing, operand, error)
    return Output(1 if err else 0, "", err)


def _touch(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "dtr", {"no-create": "c", "date": "d"})

    def act(path: str) -> None:
        if session.files.stat(path) is not None:
            session.files.change(path, mtime=session.files.now)
        elif "c" not in flags:
            session.files.write(path, "")

    return _each(session, words, operands, "create", act)


def _mkdir(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "m", {"parents": "p", "mode": "m"})
    mode = int(flags["m"], 8) if flags.get("m", "").isdecimal() else 0o755

    def act(path: str) -> None:
        session.files.make_folder(path, parents="p" in flags, mode=mode)

    return _each(session, words, operands, "create", act)


def _rmdir(session: Session, words: list[str], _stdin: str) -> Output:
    _, operands = options(words)
    return _each(
        session, words, operands, "remove", lambda path: session.files.remove(path, recursive=False)
    )


def _rm(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, long={"recursive": "r", "force": "f"})
    recursive = bool({"r", "R"} & set(flags))
    out = err = ""
    if not operands and "f" not in flags:
        return Output(1, "", "rm: missing operand\n")
    for operand in operands:
        path = session.path(operand)
        inode = session.files.stat(path, follow=False)
        if inode is None and "f" in flags:
            continue
        if inode is not None and inode.kind == FOLDER and not recursive:
            if session.busybox:
                err += f"rm: '{operand}' is a directory\n"
            else:
                err += complaint(session, "rm", "remove", operand, "Is a directory")
            continue
        try:
            session.files.remove(path)
            if "v" in flags and not session.busybox:
                kind = "directory " if inode is not None and inode.kind == FOLDER else ""
                out += f"removed {kind}'{operand}'\n"
        except FileError as error:
            err += complaint(session, "rm", "remove", operand, error)
    return Output(1 if err else 0, out, err)


def _ln(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    if not operands:
        return Output(1, "", "ln: missing file operand\n")
    target, place = operands[0], operands[1] if len(operands) > 1 else "."
    path = session.path(place)
    if session.files.is_folder(path) and "n" not in flags:
        path = posixpath.join(path, posixpath.basename(target))
        place = posixpath.join(place, posixpath.basename(target))
    try:
        if "f" in flags and session.files.stat(path, follow=False) is not None:
            session.files.remove(path)
        if "s" in flags:
            session.files.make_link(path, target)
        else:
            session.files.put(path, session.files.open(session.path(target)))
    except FileError as error:
        return Output(1, "", complaint(session, "ln", "create", place, error))
    return Output()


def new_mode(present: Inode, text: str) -> int | None:
    """The mode that `0644`, `u+x,go-w` and the like make of the present one; None for nonsense."""
    if re.fullmatch(r"[0-7]{1,4}", text):
        return int(text, 8)
    mode = present.mode
    for part in text.split(","):
        found = re.fullmatch(r"([ugoa]*)([-+=])([rwxXst]*)", part)
        if found is None:
            return None
        who, operator, letters = found.groups()
        bits = sum({"r": 4, "w": 2, "x": 1}.get(letter, 0) for letter in letters)
        if "X" in letters and (present.kind == FOLDER or present.mode & 0o111):
            bits |= 1
        for name in "ugo" if not who or "a" in who else who:
            shift = {"u": 6, "g": 3, "o": 0}[name]
            if operator == "=":
                mode = mode & ~(7 << shift) | bits << shift
            elif operator == "+":
                mode |= bits << shift
            else:
                mode &= ~(bits << shift)
            if "s" in letters and name in "ug":
                special = 0o4000 if name == "u" else 0o2000
                mode = mode & ~special if operator == "-" else mode | special
        if "t" in letters:
            mode = mode & ~0o1000 if operator == "-" else mode | 0o1000
    return mode


def _chmod(session: Session, words: list[str], _stdin: str) -> Output:
    at = 2 if words[1:2] and re.fullmatch(r"-[Rvfc]+", words[1]) else 1
    recursive = at == 2 and "R" in words[1]
    if len(words) < at + 2:
        return Output(1, "", "chmod: missing operand\n")
    text, operands = words[at], words[at + 1 :]
    if new_mode(Inode(FILE), text) is None:
        colon = "" if session.busybox else ":"
        return Output(1, "", f"chmod: invalid mode{colon} '{text}'\n")

    def act(path: str) -> None:
        for below in _tree(session, path) if recursive else [path]:
            inode = session.files.stat(below)
            if inode is None:
                raise MissingError(below)
            session.files.change(below, mode=new_mode(inode, text) or 0)

    return _each(session, words, operands, "change", act)


def _chown(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    if len(operands) < 2:
        return Output(1, "", f"{words[0]}: missing operand\n")
    user, _, group = operands[0].partition(":")
    if words[0] == "chgrp":
        user, group = "", operands[0]
    fields: dict[str, int] = {}
    for field, name, table in (("uid", user, "/etc/passwd"), ("gid", group, "/etc/group")):
        if not name:
            continue
        number = number_of(name, session.files.read(table) or "")
        if number is None:
            kind = "user" if field == "uid" else "group"
            if session.busybox:
                kind = "user/group" if ":" in operands[0] else kind
                return Output(1, "", f"{words[0]}: unknown {kind} {operands[0]}\n")
            return Output(1, "", f"{words[0]}: invalid {kind}: '{operands[0]}'\n")
        fields[field] = number

    def act(path: str) -> None:
        for below in _tree(session, path) if "R" in flags else [path]:
            session.files.change(below, **fields)

    return _each(session, words, operands[1:], "change", act)


def _tree(session: Session, path: str) -> list[str]:
    found = [path]
    inode = session.files.stat(path, follow=False)
    if inode is not None and inode.kind == FOLDER:
        for name in session.files.listing(path) or ():
            found.extend(_tree(session, posixpath.join(path, name)))
    return found


def size_of(text: str) -> int | None:
    """Bytes of `20M`, `1k` and the like; None for nonsense."""
    found = re.fullmatch(r"(\d+)([A-Za-z]*)", text)
    if found is None or found.group(2) not in _UNITS:
        return None
    return int(found.group(1)) * _UNITS[found.group(2)]


def _dd(session: Session, words: list[str], stdin: str) -> Output:
    given = dict(word.partition("=")[::2] for word in words[1:] if "=" in word)
    block = size_of(given.get("bs", "512"))
    if block is None or block == 0:
        return Output(1, "", f"dd: invalid number '{given.get('bs', '')}'\n")
    source, count = given.get("if"), size_of(given["count"]) if "count" in given else None
    zeros, content = 0, stdin
    if source in ("/dev/zero", "/dev/urandom", "/dev/random"):
        zeros, content = block * (count if count is not None else _ENDLESS // block), ""
    elif source is not None:
        try:
            inode = session.files.open(session.path(source))
        except FileError as error:
            return Output(1, "", complaint(session, "dd", "open", source, error))
        content, zeros = inode.content, inode.zeros
        if count is not None:
            content, zeros = (
                content[: block * count],
                max(0, min(zeros, block * count - len(content))),
            )
    total = len(content) + zeros
    target = given.get("of")
    if target is None:
        return Output(
            0, content + "\0" * min(zeros, 1 << 20), _dd_report(session, total, total, block)
        )
    written, err = _dd_write(session, target, content, zeros, block)
    read = min(total, written + block) if err else total
    silent = given.get("status") == "none"
    report = "" if silent else _dd_report(session, read, written, block)
    return Output(1 if err else 0, "", err + report)


def _dd_write(
    session: Session, target: str, content: str, zeros: int, block: int
) -> tuple[int, str]:
    """Bytes written, and the error when there is no room for all of them."""
    path = session.path(target)
    total = len(content) + zeros
    try:
        session.files.write(path, content, zeros=zeros)
        if total >= _ENDLESS:
            session.files.remove(path)
            require_space(session.files, "/dev/full", total)
    except FullError as error:
        place, free = session.files.resolve(path), 0
        point = in_memory(session.files, place) or session.files.mount_of(place)
        if point is None:
            point = session.files.container.all_points()[0]
        if path != "/dev/full":
            free = filesystem_usage(session.files, point).free_kib * 1024
        fits = min(total, free // block * block)
        if fits:
            session.files.write(path, "", zeros=fits)
        return fits, complaint(session, "dd", "write", target, error)
    except FileError as error:
        return 0, complaint(session, "dd", "create", target, error)
    return total, ""


def _dd_report(session: Session, read: int, written: int, block: int) -> str:
    lines = "".join(
        f"{amount // block}+{int(amount % block > 0)} records {way}\n"
        for amount, way in ((read, "in"), (written, "out"))
    )
    if session.flavour == "busybox" or (session.busybox and written < read):
        return lines
    seconds = max(0.0001, written / 1.2e9)
    if session.busybox:
        shown = _dd_size(written)
        return f"{lines}{written} bytes ({shown}) copied, {seconds:.6f} seconds, 1.1GB/s\n"
    shown = f" ({written / 10**6:.0f} MB, {written / (1 << 20):.0f} MiB)" if written > 10**6 else ""
    return f"{lines}{written} bytes{shown} copied, {seconds:.6g} s, 1.2 GB/s\n"


def _dd_size(amount: int) -> str:
    size = float(amount)
    for letter in ("B", "KB", "MB", "GB"):
        if size < 1024 or letter == "GB":
            return f"{size:.1f}{letter}"
        size /= 1024
    return str(amount)


def _truncate(session: Session, words: list[str], _stdin: str) -> Output:
    letter = "l" if words[0] == "fallocate" else "s"
    flags, operands = options(words, "sl", {"size": "s", "length": "l"})
    size = size_of(flags.get(letter, "0"))
    if size is None:
        return Output(1, "", f"{words[0]}: invalid number '{flags.get(letter)}'\n")

    def act(path: str) -> None:
        present = session.files.stat(path)
        kept = (present.content if present is not None else "")[:size]
        session.files.write(path, kept, zeros=size - len(kept))

    if words[0] == "fallocate":
        try:
            act(session.path(operands[0]))
        except FileError as error:
            return Output(1, "", f"fallocate: fallocate failed: {error.words}\n")
        return Output()
    return _each(session, words, operands, "create", act)


def _tee(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, long={"append": "a"})
    err = ""
    for operand in operands:
        path = session.path(operand)
        before = (session.files.read(path) or "") if "a" in flags else ""
        try:
            session.files.write(path, before + stdin)
        except FileError as error:
            err += complaint(session, "tee", "create", operand, error)
    return Output(1 if err else 0, stdin, err)


def _mount(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "to")
    if not operands:
        points = session.files.container.all_points()
        wanted = flags.get("t")
        return Output(0, "".join(p.line() for p in points if wanted in (None, p.fstype)))
    place = operands[-1]
    source = operands[0] if len(operands) > 1 else "none"
    privileged = session.rights.has("SYS_ADMIN")
    if session.rights.uid != 0:
        text = "mount: permission denied (are you root?)\n"
        return Output(1, "", text)
    if session.busybox:
        why = "Permission denied"
        if not session.files.is_folder(session.path(place)):
            why = "No such file or directory"
        elif privileged:
            return Output()
        return Output(255, "", f"mount: mounting {source} on {place} failed: {why}\n")
    if not session.files.is_folder(session.path(place)):
        return Output(32, "", f"mount: {place}: mount point does not exist.\n")
    if privileged:
        return Output()
    return Output(32, "", f"mount: {place}: permission denied.\n")


def _umount(session: Session, words: list[str], _stdin: str) -> Output:
    _, operands = options(words)
    if not operands:
        return Output(1, "", "umount: missing operand\n")
    if session.busybox:
        return Output(1, "", f"umount: can't unmount {operands[0]}: Operation not permitted\n")
    return Output(32, "", f"umount: {operands[0]}: must be superuser to unmount.\n")


CHANGING_COMMANDS: dict[str, Command] = {
    "chgrp": _chown,
    "chmod": _chmod,
    "chown": _chown,
    "dd": _dd,
    "fallocate": _truncate,
    "ln": _ln,
    "mkdir": _mkdir,
    "mktemp": mktemp,
    "mount": _mount,
    "rm": _rm,
    "rmdir": _rmdir,
    "sync": lambda _session, _words, _stdin: Output(),
    "tee": _tee,
    "touch": _touch,
    "truncate": _truncate,
    "umount": _umount,
}
