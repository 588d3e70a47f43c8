"""What stands at one path, and why an operation on it fails."""

from __future__ import annotations

from typing import NamedTuple

# When the files of every image were made.
IMAGE_TIME = 1_700_000_000.0

FOLDER = "folder"
FILE = "file"
LINK = "link"
DEVICE = "device"

_TYPES = {FOLDER: "d", FILE: "-", LINK: "l", DEVICE: "c"}
_BLOCK = 4096


class Inode(NamedTuple):
    """A file, folder, symbolic link or character device.

    Attributes:
        kind: `file`, `folder`, `link` or `device`.
        content: Of a file (bytes that are no UTF-8 as surrogate escapes); the target of a link.
        mode: Permission bits with setuid, setgid and sticky.
        uid: Owner.
        gid: Group.
        mtime: Unix seconds.
        zeros: NUL bytes that follow `content` and are not kept one by one.
        links: Hard links.
        shown_bytes: Size as listed, where it is not that of the content (folders).
        on_disk: Whether the file system counts blocks for it.
    """

    kind: str
    content: str = ""
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    mtime: float = IMAGE_TIME
    zeros: int = 0
    links: int = 1
    shown_bytes: int = -1
    on_disk: bool = True

    @property
    def size(self) -> int:
        """Bytes, as `ls -l` shows them."""
        if self.shown_bytes >= 0:
            return self.shown_bytes
        if self.kind == FOLDER:
            return _BLOCK
        content = self.content
        # Which of them a text is, Python knows without looking at it.
        kept = len(content if content.isascii() else content.encode(errors="surrogateescape"))
        return kept + self.zeros

    @property
    def blocks_kib(self) -> int:
        """KiB that it takes on its file system."""
        if self.kind in (LINK, DEVICE) or not self.on_disk:
            return 0
        return -(-self.size // _BLOCK) * (_BLOCK // 1024)

    @property
    def text(self) -> str:
        """The content with the zeros behind it, at most 1 MiB of them."""
        return self.content + "\0" * min(self.zeros, 1 << 20)


def folder(mode: int = 0o755, uid: int = 0, gid: int = 0, mtime: float = IMAGE_TIME) -> Inode:
    """An inode of a folder on disk."""
    return Inode(FOLDER, mode=mode, uid=uid, gid=gid, mtime=mtime, links=2)


def link(target: str, mtime: float = IMAGE_TIME) -> Inode:
    """An inode of a symbolic link."""
    return Inode(LINK, target, 0o777, mtime=mtime)


def mode_text(inode: Inode) -> str:
    """`drwxr-xr-x` and the like."""
    bits = ""
    for shift, special, letters in ((6, 0o4000, "sS"), (3, 0o2000, "sS"), (0, 0o1000, "tT")):
        part = inode.mode >> shift & 7
        bits += ("r" if part & 4 else "-") + ("w" if part & 2 else "-")
        if inode.mode & special:
            bits += letters[0] if part & 1 else letters[1]
        else:
            bits += "x" if part & 1 else "-"
    return _TYPES[inode.kind] + bits


class FileError(OSError):
    """An operation on files that the kernel refuses; `words` are those of strerror."""

    words = "Input/output error"


class ReadOnlyError(FileError):
    """A write to something mounted read-only."""

    words = "Read-only file system"


class DeniedError(FileError):
    """The mode bits do not allow it."""

    words = "Permission denied"


class NotPermittedError(FileError):
    """Only the owner, or a capability, could."""

    words = "Operation not permitted"


class MissingError(FileError):
    """There is no such path."""

    words = "No such file or directory"


class IsFolderError(FileError):
    """A folder where a file is needed."""

    words = "Is a directory"


class NotFolderError(FileError):
    """A file where a folder is needed."""

    words = "Not a directory"


class ExistsError(FileError):
    """Something stands there already."""

    words = "File exists"


class NotEmptyError(FileError):
    """A folder that still holds something."""

    words = "Directory not empty"


class FullError(FileError):
    """The file system has no room."""

    words = "No space left on device"


class BusyError(FileError):
    """A mount point cannot be removed."""

    words = "Device or resource busy"


class NameTooLongError(FileError):
    """A path, or a name in it, that is longer than the kernel takes."""

    words = "File name too long"


class LoopError(FileError):
    """Links that lead nowhere but to each other."""

    words = "Too many levels of symbolic links"
