"""Commands that list the file system: ls, stat, du, df, readlink."""

from __future__ import annotations

import posixpath
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from sregym_cluster_embedded.userland.files.capacity import filesystem_usage
from sregym_cluster_embedded.userland.files.credentials import name_of
from sregym_cluster_embedded.userland.files.inode import (
    FOLDER,
    LINK,
    FileError,
    Inode,
    MissingError,
    mode_text,
)
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.options import busybox_human, human, options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.volumes import MountPoint

# A file older than half a year is listed with its year.
_RECENT_S = 15_768_000


class Row(NamedTuple):
    """One line of a listing."""

    name: str
    path: str
    inode: Inode


def owners(session: Session, inode: Inode, *, numeric: bool = False) -> tuple[str, str]:
    """User and group of an inode by name, as far as the image knows them."""
    if numeric:
        return str(inode.uid), str(inode.gid)
    user = name_of(inode.uid, session.files.read("/etc/passwd") or "")
    group = name_of(inode.gid, session.files.read("/etc/group") or "")
    return user or str(inode.uid), group or str(inode.gid)


def _ls(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, long={"all": "a", "human-readable": "h", "directory": "d"})
    long = bool({"l", "n"} & set(flags))
    out, err = "", ""
    single: list[Row] = []
    folders: list[str] = []
    for operand in sorted(operands) if len(operands) > 1 else operands or ["."]:
        path = session.path(operand)
        follow = "L" in flags or "H" in flags or operand.endswith("/") or not (long or "d" in flags)
        inode = session.files.stat(path, follow=follow)
        if inode is None:
            err += complaint(session, "ls", "stat", operand, MissingError(path))
        elif inode.kind == FOLDER and "d" not in flags:
            folders.append(operand)
        else:
            single.append(Row(operand, path, inode))
    out += _rows(session, single, flags, total=False)
    titled = len(operands) > 1 or "R" in flags
    while folders:
        operand = folders.pop(0)
        path = session.path(operand)
        try:
            rows = _inside(session, path, flags)
        except FileError as error:
            err += complaint(session, "ls", "open", operand, error)
            continue
        if titled:
            out += ("\n" if out else "") + f"{operand}:\n"
        out += _rows(session, rows, flags, total=long)
        if "R" in flags:
            below = [
                row for row in rows if row.inode.kind == FOLDER and row.name not in (".", "..")
            ]
            folders[:0] = [posixpath.join(operand, row.name) for row in below]
    return Output((1 if session.busybox else 2) if err else 0, out, err)


def _inside(session: Session, path: str, flags: dict[str, str]) -> list[Row]:
    files = session.files
    names = files.names(path)
    if "a" in flags:
        names = [".", "..", *names]
    elif "A" not in flags:
        names = [name for name in names if not name.startswith(".")]
    rows = []
    place = files.resolve(path)
    for name in names:
        target = {".": place, "..": posixpath.dirname(place)}.get(name, posixpath.join(place, name))
        inode = files.stat(target, follow="L" in flags)
        if inode is not None:
            rows.append(Row(name, target, inode))
    return rows


def _rows(session: Session, rows: list[Row], flags: dict[str, str], *, total: bool) -> str:
    if "t" in flags:
        rows = sorted(rows, key=lambda row: -row.inode.mtime)
    elif "S" in flags:
        rows = sorted(rows, key=lambda row: -row.inode.size)
    if "r" in flags:
        rows = rows[::-1]
    head = f"total {sum(row.inode.blocks_kib for row in rows)}\n" if total else ""
    if total and "h" in flags:
        shown = human(sum(row.inode.blocks_kib for row in rows), unit=1024)
        head = f"total {shown}\n"
    if not {"l", "n"} & set(flags):
        quote = '"' if "Q" in flags else ""
        return head + "".join(
            f"{_number(row, flags)}{quote}{row.name}{quote}{_marked(row.inode, flags)}\n"
            for row in rows
        )
    cells = [_cells(session, row, flags) for row in rows]
    if session.busybox:
        wide = 7 if "h" in flags else 9
        return head + "".join(
            f"{_number(row, flags)}{mode:<10} {links:>4} {user:<8.8} {group:<8.8} {size:>{wide}} {date} {name}\n"
            for row, (mode, links, user, group, size, date, name) in zip(rows, cells, strict=True)
        )
    widths = [max((len(cell[n]) for cell in cells), default=0) for n in range(5)]
    return head + "".join(
        f"{_number(row, flags)}{c[0]} {c[1]:>{widths[1]}} {c[2]:<{widths[2]}} {c[3]:<{widths[3]}} "
        f"{c[4]:>{widths[4]}} {c[5]} {c[6]}\n"
        for row, c in zip(rows, cells, strict=True)
    )


def _marked(inode: Inode, flags: dict[str, str]) -> str:
    """What `-F` puts behind a name, and `-p` behind that of a folder."""
    if "F" in flags:
        return _mark(inode)
    return "/" if "p" in flags and inode.kind == FOLDER else ""


def _number(row: Row, flags: dict[str, str]) -> str:
    return f"{inode_number(row.path):>7} " if "i" in flags else ""


def inode_number(path: str) -> int:
    """A number that stays the same for a path."""
    return 260_000 + crc32(path.encode(errors="replace")) % 800_000


def _mark(inode: Inode) -> str:
    if inode.kind == FOLDER:
        return "/"
    if inode.kind == LINK:
        return "@"
    return "*" if inode.mode & 0o111 else ""


def _cells(session: Session, row: Row, flags: dict[str, str]) -> tuple[str, ...]:
    inode = row.inode
    user, group = owners(session, inode, numeric="n" in flags)
    size = human(inode.size) if "h" in flags else str(inode.size)
    if inode.kind == "device":
        size = "1,   3" if session.busybox else "1, 3"
    name = f"{row.name} -> {inode.content}" if inode.kind == LINK else row.name
    date = _date(session, inode.mtime)
    return mode_text(inode), str(inode.links), user, group, size, date, name


def _date(session: Session, mtime: float) -> str:
    when = datetime.fromtimestamp(mtime, UTC)
    old = abs(session.files.now - mtime) > _RECENT_S
    return when.strftime("%b %e  %Y" if old else "%b %e %H:%M")


def _stat(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "c", {"format": "c", "dereference": "L"})
    out, err = "", ""
    for operand in operands:
        path = session.path(operand)
        inode = session.files.stat(path, follow="L" in flags)
        if inode is None:
            err += complaint(session, "stat", "stat", operand, MissingError(path))
            continue
        form = flags.get("c")
        out += (
            _described(session, operand, path, inode)
            if form is None
            else _filled(session, form, operand, path, inode)
        )
    return Output(1 if err else 0, out, err)


_KINDS = {"folder": "directory", "link": "symbolic link", "device": "character special file"}


def _described(session: Session, name: str, path: str, inode: Inode) -> str:
    user, group = owners(session, inode)
    kind = _KINDS.get(inode.kind, "regular file" if inode.size else "regular empty file")
    when = datetime.fromtimestamp(inode.mtime, UTC).strftime("%Y-%m-%d %H:%M:%S.%f000")
    shown = f"'{name}' -> '{inode.content}'" if inode.kind == LINK and session.busybox else name
    if inode.kind == LINK and not session.busybox:
        shown = f"{name} -> {inode.content}"
    blocks = inode.blocks_kib * 2
    who = f"Access: ({inode.mode:04o}/{mode_text(inode)})  "
    who += f"Uid: ({inode.uid:>5}/{user:>8})   Gid: ({inode.gid:>5}/{group:>8})\n"
    where = f"Device: fe00h/65024d\tInode: {inode_number(path):<11} Links: {inode.links}\n"
    if not session.busybox:
        where = f"Device: 0,46\tInode: {inode_number(path):<11} Links: {inode.links}\n"
    times = "".join(f"{label}: {when} +0000\n" for label in ("Access", "Modify", "Change"))
    born = "" if session.busybox else f" Birth: {when} +0000\n"
    return (
        f"  File: {shown}\n  Size: {inode.size:<10}\tBlocks: {blocks:<10} IO Block: 4096   {kind}\n"
        f"{where}{who}{times}{born}"
    )


def _filled(session: Session, form: str, name: str, path: str, inode: Inode) -> str:
    user, group = owners(session, inode)
    kind = _KINDS.get(inode.kind, "regular file" if inode.size else "regular empty file")
    when = datetime.fromtimestamp(inode.mtime, UTC).strftime("%Y-%m-%d %H:%M:%S.%f000 +0000")
    values = {
        "a": f"{inode.mode:o}", "A": mode_text(inode), "u": str(inode.uid), "g": str(inode.gid),
        "U": user, "G": group, "s": str(inode.size), "n": name, "N": f"'{name}'", "F": kind,
        "Y": str(int(inode.mtime)), "y": when, "i": str(inode_number(path)), "h": str(inode.links),
        "b": str(inode.blocks_kib * 2), "X": str(int(inode.mtime)), "Z": str(int(inode.mtime)),
    }  # fmt: skip
    out, index = "", 0
    while index < len(form):
        if form[index] == "%" and index + 1 < len(form):
            out += values.get(form[index + 1], f"%{form[index + 1]}")
            index += 2
        else:
            out += form[index]
            index += 1
    return out + "\n"


def disk_use(session: Session, path: str) -> list[tuple[str, int, bool]]:
    """(path, KiB with all below, whether it is a folder) of a tree, deepest first."""
    inode = session.files.stat(path, follow=False)
    if inode is None:
        return []
    found, total = [], inode.blocks_kib
    if inode.kind == FOLDER:
        # What the kernel shows as files takes no room, and there is much of it.
        of_kernel = (inode.mode, inode.shown_bytes) == (0o555, 0)
        names = () if of_kernel else session.files.listing(path) or ()
        for name in names:
            below = disk_use(session, posixpath.join(path, name))
            total += below[-1][1] if below else 0
            found.extend(below)
    return [*found, (path, total, inode.kind == FOLDER)]


def _du(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(
        words, "d", {"max-depth": "d", "summarize": "s", "human-readable": "h"}
    )
    out, err, grand = "", "", 0
    for operand in operands or ["."]:
        base = session.path(operand)
        rows = disk_use(session, base)
        if not rows:
            err += complaint(session, "du", "stat", operand, MissingError(base))
            continue
        grand += rows[-1][1]
        for path, kib, is_folder in rows:
            depth = path[len(base.rstrip("/")) :].count("/")
            wanted = is_folder or "a" in flags or path == base
            if not wanted or ("s" in flags and path != base) or depth > int(flags.get("d") or 99):
                continue
            shown = operand if path == base else operand.rstrip("/") + path[len(base.rstrip("/")) :]
            out += f"{_amount(session, kib, flags)}\t{shown}\n"
    if "c" in flags:
        out += f"{_amount(session, grand, flags)}\ttotal\n"
    return Output(1 if err else 0, out, err)


def _amount(session: Session, kib: int, flags: dict[str, str]) -> str:
    if "h" in flags:
        return busybox_human(kib, unit=1024) if session.busybox else human(kib, unit=1024)
    return str(-(-kib // 1024) if "m" in flags else kib)


def _df(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "t", {"human-readable": "h", "inodes": "i"})
    points = session.files.container.all_points()
    err = ""
    if operands:
        chosen = []
        for operand in operands:
            if session.files.stat(session.path(operand)) is None:
                err += f"df: {operand}: No such file or directory\n"
                if session.busybox:
                    err = f"df: {operand}: can't find mount point\n"
            else:
                chosen.append(_holding(points, session.files.resolve(session.path(operand))))
    else:
        chosen = [point for point in points if point.fstype in ("overlay", "ext4", "tmpfs")]
        if not session.busybox:
            disks = {point.source: point for point in reversed(chosen)}
            chosen = [p for p in chosen if p.fstype == "tmpfs" or disks[p.source] is p]
    return Output(1 if err else 0, _df_table(session, chosen, flags), err)


def _holding(points: list[MountPoint], path: str) -> MountPoint:
    holds = [one for one in points if f"{path}/".startswith(one.place.rstrip("/") + "/")]
    return max(holds, key=lambda one: len(one.place), default=points[0])


def _df_table(session: Session, points: list[MountPoint], flags: dict[str, str]) -> str:
    rows = []
    for point in points:
        room = filesystem_usage(session.files, point)
        amounts = (room.total_kib, room.used_kib, room.free_kib)
        percent = f"{room.percent}%"
        if "i" in flags:
            total = max(1, room.total_kib // 16)
            used = min(total, 1 + room.used_kib // 60)
            cells = [str(total), str(used), str(total - used)]
            percent = f"{-(-used * 100 // total)}%"
        elif "h" in flags:
            call = busybox_human if session.busybox else human
            cells = [call(amount, unit=1024) for amount in amounts]
        elif "m" in flags:
            cells = [str(-(-amount // 1024)) for amount in amounts]
        else:
            cells = [str(amount) for amount in amounts]
        rows.append((point, cells, percent))
    return _busybox_df(rows, flags) if session.busybox else _gnu_df(rows, flags)


def _busybox_df(rows: list[tuple[MountPoint, list[str], str]], flags: dict[str, str]) -> str:
    sizes = "1K-blocks      Used Available Use%"
    if "i" in flags:
        sizes = "   Inodes      Used Available Use%"
    elif "h" in flags:
        sizes = "     Size      Used Available Use%"
    elif "m" in flags:
        sizes = "1M-blocks      Used Available Use%"
    kind = "Type       " if "T" in flags else ""
    out = f"Filesystem           {kind}{sizes} Mounted on\n"
    for point, cells, percent in rows:
        name = f"{point.source:<20} " if len(point.source) <= 20 else f"{point.source}\n{'':<20} "
        shown = f"{point.fstype:<10} " if kind else ""
        out += (
            f"{name}{shown}{cells[0]:>9} {cells[1]:>9} {cells[2]:>9} {percent:>4} {point.place}\n"
        )
    return out


def _gnu_df(rows: list[tuple[MountPoint, list[str], str]], flags: dict[str, str]) -> str:
    titles = ["1K-blocks", "Used", "Available", "Use%"]
    if "i" in flags:
        titles = ["Inodes", "IUsed", "IFree", "IUse%"]
    elif "h" in flags:
        titles = ["Size", "Used", "Avail", "Use%"]
    elif "m" in flags:
        titles = ["1M-blocks", "Used", "Available", "Use%"]
    least = (4, 5, 5, 4) if "h" in flags else (5, 5, 5, 4)
    table = [[p.source, p.fstype, *cells, percent, p.place] for p, cells, percent in rows]
    head = ["Filesystem", "Type", *titles, "Mounted on"]
    if "T" not in flags:
        table, head = [row[:1] + row[2:] for row in table], head[:1] + head[2:]
    shift = 2 if "T" in flags else 1
    wide = [max(len(row[n]) for row in [head, *table]) for n in range(len(head))]
    wide[0] = max(14, wide[0])
    for n, low in enumerate(least):
        wide[shift + n] = max(wide[shift + n], low)
    out = ""
    for row in [head, *table]:
        cells = [
            f"{cell:<{wide[n]}}" if n < shift else f"{cell:>{wide[n]}}"
            for n, cell in enumerate(row[:-1])
        ]
        out += " ".join([*cells, row[-1]]) + "\n"
    return out


LISTING_COMMANDS: dict[str, Command] = {
    "df": _df,
    "du": _du,
    "ls": _ls,
    "stat": _stat,
}
