"""Files to which the calls of a change are limited, as kernel programs look at them: by path or by inode."""

from __future__ import annotations

import glob
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import calls, files
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The most that the kernel's tries can hold.
_LONGEST = 252
_PATH = struct.Struct(f"=I{_LONGEST}s")
_INODE = struct.Struct("=QQ")
_FILES = 4096
# The value of a key that is there.
THERE = struct.pack("=I", 1)


class Places:
    """Those of one change.

    Args:
        ask: `path` (a file, a pattern, or all below a folder when it ends with `/`), else `files`:
            `volumes` for all that is on volumes of the processes, where they have any.
        pids: Processes in whose mount namespaces paths are resolved.
    """

    def __init__(self, ask: Mapping[str, Any], pids: Sequence[int]) -> None:
        self._path = str(ask.get("path") or "")
        self._pids = list(pids)
        on_volumes = ask.get("files") == "volumes" and ask["call"] in calls.OF_FILES
        self._volumes = on_volumes and not self._path and any(map(files.volumes, self._pids))

    @property
    def are_limited(self) -> bool:
        """Whether not all files are meant."""
        return bool(self._path or self._volumes)

    def seen_anew(self, pids: Sequence[int]) -> bool:
        """Look through the eyes of these from now on; False when there are none, and all stays as it is."""
        self._pids = list(pids) or self._pids
        return bool(pids)

    def paths(self) -> set[bytes]:
        """Keys of a trie: whole paths, and beginnings of paths.

        Raises:
            Refusal: One is too long.
        """
        wholes, beginnings = self._named()
        return {_key(path, whole=True) for path in wholes} | {
            _key(path, whole=False) for path in beginnings
        }

    def inodes(self) -> set[bytes]:
        """Keys of the files that there are."""
        found = set()
        for _, real in self._there():
            # It may have gone meanwhile.
            with suppress(OSError):
                found.add(inode_of(real))
        return found

    def first(self) -> str | None:
        """One that is there, under a name that is good here; None when there is none yet."""
        if not self.are_limited:
            return None
        return next((str(real) for _, real in self._there() if real.is_file()), None)

    def _named(self) -> tuple[set[str], set[str]]:
        if self._volumes:
            return set(), {place + "/" for pid in self._pids for place in files.volumes(pid)}
        if self._path.endswith("/"):
            return set(), {self._path}
        if not glob.has_magic(self._path):
            return {self._path}, set()
        return {name for name, _ in self._there()}, set()

    def _there(self) -> Iterator[tuple[str, Path]]:
        """Each as a process sees it, and under a name that is good here."""
        for pid in self._pids or (0,):
            root = f"/proc/{pid}/root" if pid else ""
            if self._volumes:
                names = sorted(files.on_volumes(pid, _FILES))
            elif self._path.endswith("/"):
                names = sorted(files.below(root, self._path, _FILES))
            else:
                found = glob.glob(root + self._path)  # noqa: PTH207 - the pattern is absolute
                names = sorted(name[len(root) :] for name in found)
            yield from ((name, Path(root + name)) for name in names)


def path_of(path: str) -> bytes:
    """The key of one whole path."""
    return _key(path, whole=True)


def inode_of(path: Path) -> bytes:
    """The key of one file: the kernel itself has the number of its device in another form."""
    status = path.stat()
    return _INODE.pack(status.st_ino, os.major(status.st_dev) << 20 | os.minor(status.st_dev))


def _key(path: str, *, whole: bool) -> bytes:
    text = os.fsencode(path) + (b"\0" if whole else b"")
    if len(text) > _LONGEST:
        msg = f"paths of more than {_LONGEST - 1} bytes cannot be looked at in the kernel: {path}"
        raise Refusal(msg)
    return _PATH.pack(len(text) * 8, text)
