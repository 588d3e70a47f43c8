"""The agent as one file that is sent to nodes: a zip that Python runs, the same bytes each time.

Nothing in it names this project: on a node it is called after what it does.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

# What it is called on nodes: the package, the file, and the folder that a start of the machine empties.
NAME = "nodectl"
FOLDER = f"/run/{NAME}"
_MAIN = f"import sys\n\nfrom {NAME}.main import main\n\nsys.exit(main())\n"
# The first moment that a zip can tell.
_MOMENT = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Bundle:
    """The file.

    Attributes:
        content: Its bytes.
        digest: Of these.
    """

    content: bytes
    digest: str


def bundle() -> Bundle:
    """Make it from the installed package."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(_content()):
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), data, zipfile.ZIP_DEFLATED)
    content = into.getvalue()
    return Bundle(content, hashlib.sha256(content).hexdigest())


def _content() -> Iterator[tuple[str, bytes]]:
    yield "__main__.py", _MAIN.encode()
    yield from _below(files(f"{__package__}.agent"), NAME)


def _below(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _below(entry, f"{name}/{entry.name}")
        elif entry.is_file() and not entry.name.endswith((".pyc", ".typed")):
            yield f"{name}/{entry.name}", entry.read_bytes()
