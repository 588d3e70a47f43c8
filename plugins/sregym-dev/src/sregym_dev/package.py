"""A plugin package to be: its names, and its files from templates."""

from __future__ import annotations

import difflib
import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

from sregym_core import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

# What is added to simulated clusters: one object at an entry point of its own group.
_EXTENSIONS = ("server", "operator", "container-command", "exporter", "protocol")
KINDS: tuple[str, ...] = (
    *("app", "injector", "noise", "oracle", "agent"),
    *("mode", "cluster", "reporter", "reward", "runner", "observer", "command", "problems"),
    *_EXTENSIONS,
)

# Ends the name of a template, so that no tool takes it for code of this package.
SUFFIX = ".template"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Package:
    """A package of one kind.

    Attributes:
        kind: One of `KINDS`.
        name: The component's name: lower case with hyphens.

    Raises:
        UsageError: There is no such kind, or the name cannot be used.
    """

    kind: str
    name: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            close = difflib.get_close_matches(self.kind, KINDS, 1)
            hint = f"; did you mean {close[0]!r}?" if close else "."
            raise UsageError(
                f"no kind of plugin named {self.kind!r}{hint} Known: {', '.join(KINDS)}"
            )
        if not _NAME.fullmatch(self.name):
            msg = f"{self.name!r} cannot name a plugin; use lower-case words and hyphens: acme-dns"
            raise UsageError(msg)
        if keyword.iskeyword(self.name):
            # It names a function, a module or a label in the files.
            raise UsageError(
                f"{self.name!r} is a word of Python; choose another name: acme-{self.name}"
            )

    @property
    def distribution(self) -> str:
        """Name of the distribution and of its folder."""
        return f"sregym-{self.kind}-{self.name}"

    @property
    def module(self) -> str:
        """Name of the import package."""
        return self.distribution.replace("-", "_")

    def files(self) -> Iterator[tuple[str, str]]:
        """Path and text of each file."""
        names = self.names()
        shared = ("every", "extension") if self.kind in _EXTENSIONS else ("every",)
        for source in (*shared, self.kind):
            for path, template in walk(files("sregym_dev") / "templates" / source):
                yield self.filled(path, template, names)

    def filled(self, path: str, template: Traversable, names: dict[str, str]) -> tuple[str, str]:
        """The path and text that a template becomes."""
        text = Template(template.read_text(encoding="utf-8")).substitute(names)
        made = path.removesuffix(SUFFIX).replace("MODULE", self.module)
        return made.replace("NAME", names["word"]), text

    def write(self, parent: Path) -> Path:
        """Write all files into a new folder under `parent`; returns that folder.

        Raises:
            UsageError: The folder is there already, or cannot be made.
        """
        folder = parent / self.distribution
        if folder.exists():
            raise UsageError(f"{folder} is there already; choose another name or --folder")
        if parent.exists() and not parent.is_dir():
            raise UsageError(f"{folder} cannot be made: Not a directory")
        made = [*self.files()]
        try:
            parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(prefix=f".{self.distribution}-", dir=parent) as begun:
                whole = Path(begun) / self.distribution
                for name, text in made:
                    path = whole / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
                # The folder appears with all that belongs in it, or not at all.
                whole.rename(folder)
        except OSError as error:
            raise UsageError(f"{folder} cannot be made: {error.strerror}") from error
        return folder

    def names(self) -> dict[str, str]:
        """What stands for the words of the templates."""
        major, minor = map(int, __version__.split(".")[:2])
        return {
            "name": self.name,
            "word": self.name.replace("-", "_"),
            "word_joined": self.name.replace("-", ""),
            "kind": self.kind,
            "distribution": self.distribution,
            "module": self.module,
            "class_name": "".join(word.capitalize() for word in self.name.split("-")),
            "title": self.name.replace("-", " ").capitalize(),
            "core": f">={major}.{minor},<{major}.{minor + 1}",
        }


def walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """The templates of a folder with their paths in it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from walk(entry, f"{path}/")
        elif path.endswith(SUFFIX):
            yield path, entry
