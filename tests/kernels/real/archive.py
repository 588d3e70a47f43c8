"""The root of a guest or a container as one archive in memory: Debian's files of this machine, as few as will do."""

from __future__ import annotations

import io
import re
import stat
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

_SKIPPED = re.compile(
    r"/(test|tests|idlelib|lib2to3|tkinter|ensurepip|distutils|pydoc_data|turtledemo)(/|$)"
)
_CACHE = re.compile(r"\.cpython-\d+\.opt-\d\.pyc$")
_EMPTY = ("dev", "proc", "sys", "tmp", "run", "mnt", "root", "var/lib")


class Archive:
    """Files that are put into it, with the folders and links that lead to them."""

    def __init__(self) -> None:
        # Mode, data and time of each by its name.
        self._entries: dict[str, tuple[int, bytes, int]] = {}
        for name in _EMPTY:
            self._folders(name + "/x")

    def add(self, name: str, data: bytes, mode: int = 0o644, mtime: int = 0) -> None:
        """A file of its own."""
        self._folders(name)
        self._put(name, stat.S_IFREG | mode, data, mtime)

    def link(self, name: str, to: str) -> None:
        """A link."""
        self._put(name, stat.S_IFLNK | 0o777, to.encode(), 0)

    def copy(self, path: Path) -> None:
        """A file of this machine under its own name; a link with what it leads to, a folder with all of it."""
        where = self._real(path)
        if where.is_symlink():
            self._folders(_name(where))
            self._put(_name(where), stat.S_IFLNK | 0o777, bytes(where.readlink()), 0)
            self.copy(where.parent / where.readlink())
        elif where.is_dir():
            for entry in sorted(where.iterdir()):
                if not _SKIPPED.search(str(entry)) and not _CACHE.search(entry.name):
                    self.copy(entry)
        else:
            found = where.stat()
            self.add(_name(where), where.read_bytes(), found.st_mode & 0o777, int(found.st_mtime))

    def program(self, path: Path) -> None:
        """A program with the libraries that it is linked to."""
        self.copy(path)
        for library in linked(path):
            self.copy(library)

    def content(self) -> bytes:
        """All of it as a kernel unpacks it (cpio, newc)."""
        parts = [
            _entry(number, name, mode, data, mtime)
            for number, (name, (mode, data, mtime)) in enumerate(self._entries.items(), 1)
        ]
        return b"".join((*parts, _entry(0, "TRAILER!!!", 0, b"", 0)))

    def tar(self) -> bytes:
        """All of it as engines of containers import it."""
        into = io.BytesIO()
        with tarfile.open(fileobj=into, mode="w") as archive:
            for name, (mode, data, mtime) in self._entries.items():
                entry = tarfile.TarInfo(name)
                entry.mode, entry.mtime = stat.S_IMODE(mode), mtime
                if stat.S_ISDIR(mode):
                    entry.type = tarfile.DIRTYPE
                elif stat.S_ISLNK(mode):
                    entry.type, entry.linkname = tarfile.SYMTYPE, data.decode()
                else:
                    entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data if entry.isreg() else b""))
        return into.getvalue()

    def _real(self, path: Path) -> Path:
        """The same file under the one name of its folder: `/lib` is a link."""
        folder = path.parent
        at = Path("/")
        for part in folder.parts[1:]:
            at /= part
            if at.is_symlink() and _name(at) not in self._entries:
                self._put(_name(at), stat.S_IFLNK | 0o777, bytes(at.readlink()), 0)
        return folder.resolve() / path.name

    def _folders(self, name: str) -> None:
        parts = name.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            self._put("/".join(parts[:count]), stat.S_IFDIR | 0o755, b"", 0)

    def _put(self, name: str, mode: int, data: bytes, mtime: int) -> None:
        self._entries.setdefault(name, (mode, data, mtime))


def linked(path: Path) -> Iterable[Path]:
    """Libraries of a program, those of libraries among them."""
    said = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    return [Path(found) for found in re.findall(r"(/\S+) \(0x", said)]


def _name(path: Path) -> str:
    return str(path).lstrip("/")


def _entry(ident: int, name: str, mode: int, data: bytes, mtime: int) -> bytes:
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = (ident, mode, 0, 0, links, mtime, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)
