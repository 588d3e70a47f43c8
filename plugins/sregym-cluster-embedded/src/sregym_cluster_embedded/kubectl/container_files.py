"""Files of a container under the names that the commands of kubectl have for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.userland.files.inode import FOLDER, FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from sregym_cluster_embedded.userland.filesystem import Files


class ContainerPath:
    """A place in the files of a container, as far as kubectl needs of `pathlib.Path`.

    Args:
        files: The container's.
        place: Where.
    """

    def __init__(self, files: Files, place: PurePosixPath) -> None:
        self._files = files
        self._place = place

    def __truediv__(self, name: str) -> ContainerPath:
        """A place below; an absolute name counts from the root."""
        return ContainerPath(self._files, self._place / name)

    def __lt__(self, other: ContainerPath) -> bool:
        """By name."""
        return str(self) < str(other)

    def __str__(self) -> str:
        """The whole path."""
        return str(self._place)

    def __fspath__(self) -> str:
        """Refuse to be a path of this machine."""
        raise NotCovered("a file by its place")

    def __getattr__(self, name: str) -> Any:
        """Whatever else commands do with files."""
        raise NotCovered("a file by its place")

    @property
    def name(self) -> str:
        """The last word."""
        return self._place.name

    @property
    def suffix(self) -> str:
        """The ending, with its dot."""
        return self._place.suffix

    def exists(self) -> bool:
        """Whether anything stands there."""
        return self._files.stat(str(self)) is not None or self._files.read(str(self)) is not None

    def is_dir(self) -> bool:
        """Whether a folder stands there."""
        found = self._files.stat(str(self))
        return found is not None and found.kind == FOLDER

    def is_file(self) -> bool:
        """Whether a file stands there."""
        return self.exists() and not self.is_dir()

    def read_text(self, encoding: str = "utf-8") -> str:
        """What is in the file.

        Raises:
            CommandError: It may not be read.
        """
        del encoding
        try:
            self._files.open(str(self))
        except FileError as error:
            raise CommandError(f"error: open {self}: {error}") from error
        return self._files.read(str(self)) or ""

    def read_bytes(self) -> bytes:
        """What is in the file, as bytes."""
        return self.read_text().encode(errors="surrogateescape")

    def relative_to(self, other: ContainerPath) -> PurePosixPath:
        """The rest of the path behind another."""
        return self._place.relative_to(other._place)

    def glob(self, pattern: str) -> Iterator[ContainerPath]:
        """What stands in the folder; with `**/*`, in folders below, too."""
        for name in self._files.names(str(self)):
            below = self / name
            yield below
            if pattern.startswith("**") and below.is_dir():
                yield from below.glob(pattern)
