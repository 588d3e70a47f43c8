"""The site's navigation, read from `docs/README.md`: the page that lists all others."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

# Headings of `docs/README.md`, with the folder whose index the section becomes and its title there.
SECTIONS = {
    "Learn": ("docs/tutorial", "Tutorial"),
    "Do": ("docs/how-to", "How-to"),
    "Look up": ("docs/reference", "Reference"),
    "Understand": ("docs/explanation", "Explanation"),
}
_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)([^)]*\))")


@dataclass(frozen=True)
class Section:
    """One section of the site.

    Attributes:
        folder: Where its index stands.
        title: Of the index.
        text: What the index says, with links as seen from the folder.
        pages: Pages in the order of the list, as seen from the root, each once.
    """

    folder: str
    title: str
    text: str
    pages: tuple[str, ...]

    def index(self, further: tuple[str, ...] = ()) -> str:
        """The section's index in Markdown.

        Args:
            further: Pages that are made for the site alone.
        """
        return f"# {self.title}\n\n{self.text.strip()}\n\n{toctree((*self.pages, *further), self.folder)}"


def sections(readme: str) -> list[Section]:
    """The sections of `docs/README.md`.

    Raises:
        ValueError: A heading is none of those that are known, or one of them is missing.
    """
    found = []
    _, *parts = re.split(r"(?m)^## ", readme)
    headings = [part.partition("\n")[0] for part in parts]
    if headings != [*SECTIONS]:
        message = f"docs/README.md has the headings {headings}; the site is made of {[*SECTIONS]}"
        raise ValueError(message)
    for part in parts:
        heading, _, text = part.partition("\n")
        folder, title = SECTIONS[heading]
        moved = _moved(text, folder)
        pages = [posixpath.normpath(f"docs/{link[2]}") for link in _LINK.finditer(text)]
        listed = tuple(dict.fromkeys(page for page in pages if page.endswith(".md")))
        found.append(Section(folder, title, moved, listed))
    return found


def toctree(pages: tuple[str, ...], folder: str, *options: str) -> str:
    """A hidden list of pages that Sphinx builds its navigation from.

    Args:
        pages: As seen from the root.
        folder: Of the page in which the list stands.
        options: Further lines, `:caption: Contents` for one.
    """
    lines = [*options, "", *(posixpath.relpath(page, folder or ".") for page in pages)]
    return "\n".join(["```{toctree}", ":hidden:", *lines, "```"]) + "\n"


def _moved(text: str, folder: str) -> str:
    """A text of `docs/README.md` with its links as seen from another folder."""

    def seen_from(link: re.Match[str]) -> str:
        place = posixpath.relpath(posixpath.normpath(f"docs/{link[2]}"), folder)
        return f"{link[1]}{place}{link[3]}"

    return _LINK.sub(seen_from, text)
