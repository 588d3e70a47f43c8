"""Mermaid diagrams as pictures, drawn when the site is built: pages need no script for them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_BLOCK = re.compile(r"(?ms)^```mermaid\n(.*?)^```$")
FOLDER = "_diagrams"


def drawn(text: str, page: str, root: Path) -> str:
    """A page whose diagrams are pictures.

    Args:
        text: The page in Markdown.
        page: Its name, for errors.
        root: Folder of the site's sources; pictures come to lie in `_diagrams` there.

    Raises:
        ValueError: A diagram cannot be drawn.
    """

    def picture(block: re.Match[str]) -> str:
        name = hashlib.blake2b(block[1].encode(), digest_size=8).hexdigest()
        file = root / FOLDER / f"{name}.svg"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_svg(block[1], page), encoding="utf-8")
        return f"```{{image}} /{FOLDER}/{name}.svg\n:alt: diagram\n:class: diagram\n```"

    return _BLOCK.sub(picture, text)


def _svg(source: str, page: str) -> str:
    import mmdr

    try:
        return str(mmdr.render(source).svg())
    except Exception as error:
        message = f"{page}: its Mermaid diagram cannot be drawn: {error}"
        raise ValueError(message) from error
