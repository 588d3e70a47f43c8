"""Temporary folders that a killed process does not leave behind for ever.

Its owner holds a lock on it, which the kernel lets go when the process and those that it
forked have ended, however that came about. Making one clears away those that no process holds.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

# The sticky bit, which nobody else sets on a folder that only its owner may enter: by it such a
# folder is known, without a name or a file that would tell what it belongs to.
_MODE = stat.S_ISVTX | stat.S_IRWXU


class ScratchFolder:
    """A temporary folder of this process, until `cleanup`.

    Args:
        prefix: Of its name.

    Attributes:
        name: Its path.
    """

    def __init__(self, prefix: str) -> None:
        clear_abandoned()
        self.name = tempfile.mkdtemp(prefix=prefix)
        self._lock: int | None = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        Path(self.name).chmod(_MODE)

    def cleanup(self) -> None:
        """Remove it with all that is in it; harmless when that was done."""
        if self._lock is None:
            return
        shutil.rmtree(self.name, ignore_errors=True)
        os.close(self._lock)
        self._lock = None

    def __enter__(self) -> str:
        return self.name

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.cleanup()

    def __del__(self) -> None:
        self.cleanup()


def clear_abandoned() -> None:
    """Remove the folders of this user that are held by no process any more."""
    for path in _candidates():
        with suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)


def _candidates() -> Iterator[str]:
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if (
                    stat.S_ISDIR(about.st_mode)
                    and stat.S_IMODE(about.st_mode) == _MODE
                    and about.st_uid == os.getuid()
                ):
                    yield entry.path
